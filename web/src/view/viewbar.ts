// The buttons in the corner of the view: how one looks, not what one does.

import type { App, CameraView, ViewOptions } from "../app";
import { short } from "./legend";
import type { Pointer } from "./pointer";
import { mountSpaceMouse } from "./spacemouse";
import type { Stage } from "./stage";

const ICONS: Record<string, string> = {
  fit: "M3 8V3h5M16 3h5v5M21 16v5h-5M8 21H3v-5M8 8h8v8H8z",
  iso: "M12 2l9 5v10l-9 5-9-5V7zM3 7l9 5 9-5M12 12v10",
  front: "M4 4h16v16H4zM4 20l16 0",
  top: "M12 3l9 4-9 4-9-4zM3 7v9M21 7v9M12 11v10",
  right: "M6 4l12 3v13L6 17z",
  perspective: "M3 5l18 3v8L3 19zM9 6v12M15 7v10",
  directors: "M5 19V6M5 19h13M5 19l8-8M3 8l2-3 2 3M16 17l3 2-3 2",
  stripe: "M3 15c5-9 8 5 18-6M3 19c6-8 10 4 18-4",
  section: "M4 4h7v16H4zM14 4v2M14 9v2M14 14v2M14 19v1M18 7h2v10h-2",
  rotate: "M20 12a8 8 0 1 1-3-6M17 2v4h-4",
  pin: "M9 3h6l-1 7 4 4H6l4-4zM12 14v7",
  vr: "M3 8h18v9h-6l-2-3h-2l-2 3H3z",
  spacemouse: "M12 5v14M5 12h14M9 7l3-3 3 3M9 17l3 3 3-3M7 9l-3 3 3 3M17 9l3 3-3 3",
};

export function iconButton(icon: string, title: string, act: () => void): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.title = title;
  button.setAttribute("aria-label", title);
  const name = "http://www.w3.org/2000/svg";
  const drawing = document.createElementNS(name, "svg");
  drawing.setAttribute("viewBox", "0 0 24 24");
  const path = document.createElementNS(name, "path");
  path.setAttribute("d", ICONS[icon] ?? "");
  drawing.append(path);
  button.append(drawing);
  button.addEventListener("click", act);
  return button;
}

export function mountViewbar(app: App, stage: Stage, pointer: Pointer): void {
  const bar = document.getElementById("viewbar") as HTMLElement;
  const gap = () => {
    const space = document.createElement("div");
    space.className = "gap";
    bar.append(space);
  };
  const view = (name: CameraView, title: string) => bar.append(iconButton(name, title, () => app.emit("camera", name)));
  view("fit", "Show everything (F)");
  view("iso", "From a corner (0)");
  view("front", "From the front (1)");
  view("right", "From the right (3)");
  view("top", "From above (7)");
  gap();
  const toggles: [HTMLButtonElement, () => boolean][] = [];
  const toggle = (icon: string, title: string, on: () => boolean, act: () => void) => {
    const button = iconButton(icon, title, act);
    bar.append(button);
    toggles.push([button, on]);
  };
  const flag = (key: keyof ViewOptions & ("perspective" | "directors" | "stripe"), title: string) =>
    toggle(key, title, () => app.options[key], () => app.setOptions({ [key]: !app.options[key] }));
  flag("perspective", "Perspective or parallel (5)");
  flag("stripe", "Line along the skin that shows twist (S)");
  flag("directors", "Frames along the cables (D): d1 red, d2 green, tangent blue");
  toggle("section", "Cut everything open along a plane (X)", () => app.options.section !== null, () => app.emit("section", undefined));
  gap();
  toggle("rotate", "Turn the selected thing (R) or move it (G)", () => app.options.gizmo === "rotate",
    () => app.setOptions({ gizmo: app.options.gizmo === "rotate" ? "move" : "rotate" }));
  toggle("pin", "Keep what is pulled, as a clip (or hold Ctrl)", () => pointer.pinning, () => {
    pointer.pinning = !pointer.pinning;
    show();
  });
  const show = () => {
    for (const [button, on] of toggles) button.setAttribute("aria-pressed", String(on()));
  };
  app.on("options", show);
  app.on("section", () => toggleSection(app, stage));
  show();
  mountSection(app, stage, bar.parentElement as HTMLElement);
  mountSpaceMouse(app, stage);
}

/** Cuts through the middle, or no more. */
function toggleSection(app: App, stage: Stage): void {
  const x = stage.extent.isEmpty() ? 0 : (stage.extent.min.x + stage.extent.max.x) / 2;
  app.setOptions({ section: app.options.section ? null : { axis: "x", offset: x, flip: false } });
}

function mountSection(app: App, stage: Stage, view: HTMLElement): void {
  const bar = document.createElement("div");
  bar.id = "sectionbar";
  const axis = document.createElement("select");
  axis.title = "Direction of the plane";
  axis.ariaLabel = axis.title;
  for (const name of ["x", "y", "z"]) axis.append(new Option(name, name));
  const slider = document.createElement("input");
  slider.type = "range";
  slider.title = "Where the plane is";
  slider.ariaLabel = slider.title;
  const value = document.createElement("span");
  const flip = document.createElement("button");
  flip.type = "button";
  flip.textContent = "other side";
  bar.append(axis, slider, value, flip);
  view.append(bar);
  const show = () => {
    const { section } = app.options;
    bar.hidden = section === null;
    if (!section) return;
    const { min, max } = stage.extent;
    const room = 0.1 * (max[section.axis] - min[section.axis] || 1);
    slider.min = String(min[section.axis] - room);
    slider.max = String(max[section.axis] + room);
    slider.step = "any";
    slider.value = String(section.offset);
    axis.value = section.axis;
    value.textContent = `${section.axis} = ${short(section.offset * 1000)} mm`;
  };
  slider.addEventListener("input", () => {
    if (app.options.section) app.setOptions({ section: { ...app.options.section, offset: Number(slider.value) } });
  });
  axis.addEventListener("change", () => {
    const name = axis.value as "x" | "y" | "z";
    const middle = (stage.extent.min[name] + stage.extent.max[name]) / 2;
    if (app.options.section) app.setOptions({ section: { ...app.options.section, axis: name, offset: middle } });
  });
  flip.addEventListener("click", () => {
    const { section } = app.options;
    if (section) app.setOptions({ section: { ...section, flip: !section.flip } });
  });
  app.on("options", show);
  show();
}
