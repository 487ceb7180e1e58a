// A quantity under the hand: while the slider moves, the scene shows it without keeping it; let go, it is one change.

import type { App } from "../../app";
import type { Command } from "../../protocol";
import { Preview, tryCommand } from "../act";
import { h, visible } from "../dom";
import { settle } from "./field";
import { fieldValue, quantity, shown, toSi, unitLabel, withUnit, type Dimension } from "../units";

export interface Slide {
  id: string;
  label: string;
  hint: string;
  dimension: Dimension;
  /** In SI. */
  value: number;
  min: number;
  max: number;
  /** Equal steps are equal factors. */
  log?: boolean;
  command: (value: string | number) => Command;
}

const STEPS = 1000;

/** The place of a value on the slider, 0 to 1. */
export function sliderShare({ value, min, max, log }: Pick<Slide, "value" | "min" | "max" | "log">): number {
  const share = log ? Math.log(value / min) / Math.log(max / min) : (value - min) / (max - min);
  return Math.min(1, Math.max(0, share));
}

/** The value at a place of the slider, rounded to what a person would write. */
export function sliderValue(share: number, { min, max, log }: Pick<Slide, "min" | "max" | "log">): number {
  const value = log ? min * (max / min) ** share : min + (max - min) * share;
  return Number(value.toPrecision(3 + (log ? 0 : 1)));
}

/** Is a hand on a slider now? Panels then wait before they are built anew. */
export let sliding = false;

export function slider(app: App, slide: Slide): HTMLElement {
  const problem = h("p", { class: "field-error", hidden: true, role: "alert" });
  const tell = (error: string | null): void => {
    problem.textContent = error ?? "";
    visible(problem, error !== null);
    row.classList.toggle("wrong", error !== null);
  };
  const preview = new Preview(app, tell);
  const range = h("input", {
    type: "range", min: 0, max: STEPS, step: 1, value: Math.round(sliderShare(slide) * STEPS), "aria-label": slide.label,
    data: { focus: `${slide.id}.slider` },
  });
  const text = h("input", {
    type: "text", id: slide.id, value: shown(slide.value, slide.dimension), data: { focus: slide.id }, autocomplete: "off",
  });
  const spoken = (si: number): void => range.setAttribute("aria-valuetext", withUnit(si, slide.dimension, 3));
  spoken(slide.value);
  const fromRange = (): number => sliderValue(Number(range.value) / STEPS, slide);
  range.addEventListener("input", () => {
    sliding = true;
    spoken(fromRange());
    text.value = shown(fromRange(), slide.dimension);
    preview.show(slide.command(quantity(fromRange(), slide.dimension)));
  });
  range.addEventListener("change", () => {
    void preview.end(true).then((error) => {
      sliding = false;
      tell(error);
      if (error === null) settle(row);
    });
  });
  text.addEventListener("change", () => {
    const value = fieldValue(text.value, slide.dimension);
    if (value === null) return;
    const si = toSi(value);
    if (si !== null) {
      range.value = String(Math.round(sliderShare({ ...slide, value: si }) * STEPS));
      spoken(si);
    }
    void tryCommand(app, slide.command(value)).then((answer) => {
      tell("error" in answer ? answer.error : null);
      if ("ok" in answer) settle(row);
    });
  });
  text.addEventListener("keydown", (event) => {
    if (event.key === "Escape") text.value = text.defaultValue;
  });
  const row = h("div", { class: "field slider-field", title: slide.hint },
    h("label", { class: "field-label", for: slide.id }, slide.label),
    h("div", { class: "field-value" }, text, h("span", { class: "unit" }, unitLabel(slide.dimension))),
    range, problem);
  return row;
}
