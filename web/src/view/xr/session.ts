import type { App } from "../../app";
import type { View } from "../index";

export function mountHeadset(_app: App, _view: View): void {}
