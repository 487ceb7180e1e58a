// Dark or light: as the system says, until a person chooses.

import type { App } from "../app";

const KEY = "flexline.theme";
type Theme = "dark" | "light";

export function theme(): Theme {
  return document.documentElement.dataset["theme"] === "light" ? "light" : "dark";
}

export function mountTheme(app: App): void {
  const system = window.matchMedia("(prefers-color-scheme: light)");
  const chosen = (): Theme | null => {
    const kept = localStorage.getItem(KEY);
    return kept === "dark" || kept === "light" ? kept : null;
  };
  const apply = (): void => setTheme(app, chosen() ?? (system.matches ? "light" : "dark"));
  system.addEventListener("change", apply);
  apply();
}

function setTheme(app: App, next: Theme): void {
  document.documentElement.dataset["theme"] = next;
  app.emit("theme", next);
}

export function toggleTheme(app: App): void {
  const next = theme() === "dark" ? "light" : "dark";
  localStorage.setItem(KEY, next);
  setTheme(app, next);
}
