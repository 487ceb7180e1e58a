import type { App } from "../app";

export function mountPanels(_app: App): void {}
