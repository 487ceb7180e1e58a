// Panels that fold away, so that the view has room on a small screen. What a person chose is kept in the browser; before
// that a narrow page shows what is selected only when something is.

import type { App } from "../app";
import { button } from "./dom";
import type { IconName } from "./icons";

type Side = "left" | "right" | "below";

const SIDES: { side: Side; icon: IconName; title: string }[] = [
  { side: "left", icon: "panel-left", title: "Scene and checks" },
  { side: "below", icon: "panel-below", title: "Plots" },
  { side: "right", icon: "panel-right", title: "Properties" },
];
const KEY = "flexline.panels";
/** On a page that is no wider than this the right panel waits until something is selected. */
const NARROW = "(width <= 1000px)";

/** The switches; they say and change which panels are shown. */
export function foldingButtons(app: App): HTMLButtonElement[] {
  let chosen: Partial<Record<Side, boolean>> = {};
  try {
    chosen = JSON.parse(localStorage.getItem(KEY) ?? "{}") as typeof chosen;
  } catch {
    localStorage.removeItem(KEY);
  }
  const narrow = window.matchMedia(NARROW);
  const shown = (side: Side): boolean => chosen[side] ?? (side !== "right" || !narrow.matches || app.selection !== null);
  const buttons = SIDES.map(({ side, icon, title }) => button(icon, `${title}: show or fold away`, () => {
    chosen[side] = !shown(side);
    localStorage.setItem(KEY, JSON.stringify(chosen));
    apply();
  }, { id: `fold-${side}`, kind: "fold-panel" }));
  const apply = (): void => {
    for (const [index, { side }] of SIDES.entries()) {
      document.body.classList.toggle(`no-${side}`, !shown(side));
      buttons[index]?.setAttribute("aria-pressed", String(shown(side)));
    }
  };
  narrow.addEventListener("change", apply);
  app.on("selection", apply);
  apply();
  return buttons;
}
