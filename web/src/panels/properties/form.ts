// Small forms: what a person fills in, and the command that is made of it.

import type { App } from "../../app";
import type { Command, SceneView } from "../../protocol";
import { tryCommand } from "../act";
import { button, h, lazyFold, visible } from "../dom";
import type { IconName } from "../icons";
import { rawText } from "./field";
import { materials } from "./library";
import { fieldValue, placeValue, unitLabel, type Dimension } from "../units";

export type Input =
  | { is: "quantity"; dimension: Dimension; value?: string }
  | { is: "vector"; dimension: Dimension; value?: readonly [string, string, string] }
  | { is: "place"; value?: string }
  | { is: "text"; value?: string }
  | { is: "choice"; of: readonly string[]; value?: string }
  | { is: "name"; of: (scene: SceneView) => string[]; value?: string }
  | { is: "library"; value?: string }
  | { is: "flag"; value?: boolean };

export interface FormField {
  name: string;
  label: string;
  hint?: string;
  input: Input;
  optional?: boolean;
}

export type Values = Record<string, unknown>;

export interface Form {
  id: string;
  title: string;
  hint: string;
  icon: IconName;
  fields: FormField[];
  /** The word on the button. */
  act: string;
  command: (values: Values) => Command;
}

/** The values of a form as commands want them; the label of the first field that is empty, where one must not be. */
export function readForm(fields: readonly FormField[], texts: Record<string, string | string[] | boolean>): Values | string {
  const values: Values = {};
  for (const { name, label, input, optional } of fields) {
    const value = readInput(input, texts[name]);
    if (value === null) {
      if (!optional) return label;
    } else values[name] = value;
  }
  return values;
}

function readInput(input: Input, text: string | string[] | boolean | undefined): unknown {
  if (typeof text === "boolean") return text;
  if (Array.isArray(text)) {
    if (input.is !== "vector") return null;
    const parts = text.map((part) => fieldValue(part, input.dimension));
    return parts.every((part) => part === null) ? null : parts.map((part) => part ?? 0);
  }
  const clean = (text ?? "").trim();
  if (clean === "") return null;
  if (input.is === "quantity") return fieldValue(clean, input.dimension);
  return input.is === "place" ? placeValue(clean) : clean;
}

/** A form that unfolds in a panel. */
export function foldedForm(app: App, form: Form, done?: () => void): HTMLElement {
  return lazyFold(`form.${form.id}`, h("span", { title: form.hint }, form.title), false, () => [openForm(app, form, done)]);
}

/** A form in the open. */
export function openForm(app: App, form: Form, done?: () => void): HTMLElement {
  const readers = new Map<string, () => string | string[] | boolean>();
  const problem = h("p", { class: "field-error", hidden: true, role: "alert" });
  const fail = (message: string | null): void => {
    problem.textContent = message ?? "";
    visible(problem, message !== null);
  };
  const rows = form.fields.map((field) => {
    const id = `${form.id}.${field.name}`;
    const { element, read, unit } = inputOf(app, id, field.input);
    readers.set(field.name, read);
    return h("div", { class: "field", title: field.hint ?? "" },
      h("label", { class: "field-label", for: id }, field.label),
      h("div", { class: "field-value" }, element, unit ? h("span", { class: "unit" }, unit) : null));
  });
  const submit = async (): Promise<void> => {
    const texts = Object.fromEntries([...readers].map(([name, read]) => [name, read()]));
    const values = readForm(form.fields, texts);
    if (typeof values === "string") {
      fail(`${values} is missing.`);
      return;
    }
    const answer = await tryCommand(app, form.command(values));
    fail("error" in answer ? answer.error : null);
    if ("ok" in answer) done?.();
  };
  return h("form", { class: "form", id: form.id, on: { submit: (event) => {
    event.preventDefault();
    void submit();
  }, keydown: (event) => event.stopPropagation() } },
    h("p", { class: "form-hint" }, form.hint), ...rows, problem,
    h("div", { class: "form-foot" }, actButton(form)));
}

function actButton(form: Form): HTMLButtonElement {
  const made = button(form.icon, form.act, () => undefined, { text: form.act, kind: "primary" });
  made.type = "submit";
  return made;
}

interface Made {
  element: HTMLElement;
  read: () => string | string[] | boolean;
  unit?: string;
}

function inputOf(app: App, id: string, input: Input): Made {
  switch (input.is) {
    case "vector": {
      const parts = ["x", "y", "z"].map((axis, index) =>
        h("input", { type: "text", id: index === 0 ? id : `${id}.${axis}`, class: `axis-${axis}`, value: input.value?.[index] ?? "",
          placeholder: axis, title: axis, data: { focus: `${id}.${axis}` } }));
      return { element: h("div", { class: "vector" }, ...parts), read: () => parts.map((part) => part.value), unit: unitLabel(input.dimension) };
    }
    case "choice": {
      const select = h("select", { id, data: { focus: id } },
        ...input.of.map((each) => h("option", { value: each, selected: each === input.value }, each)));
      return { element: select, read: () => select.value };
    }
    case "name": {
      const names = app.scene ? input.of(app.scene) : [];
      const list = h("datalist", { id: `${id}.names` }, ...names.map((name) => h("option", { value: name })));
      const line = h("input", { type: "text", id, value: input.value ?? "", list: list.id, data: { focus: id }, autocomplete: "off" });
      return { element: h("span", { class: "with-list" }, line, list), read: () => line.value };
    }
    case "library": {
      const list = h("datalist", { id: `${id}.names` });
      const line = h("input", { type: "text", id, value: input.value ?? "", list: list.id, data: { focus: id }, autocomplete: "off" });
      // Without the list the name can still be typed.
      materials().then((all) => list.replaceChildren(...all.map((part) => h("option", { value: part.name }, part.title))), () => undefined);
      return { element: h("span", { class: "with-list" }, line, list), read: () => line.value };
    }
    case "flag": {
      const box = h("input", { type: "checkbox", id, checked: input.value === true, data: { focus: id } });
      return { element: box, read: () => box.checked };
    }
    default: {
      const line = h("input", { type: "text", id, value: rawText(input.value), data: { focus: id }, autocomplete: "off" });
      const unit = input.is === "quantity" ? unitLabel(input.dimension) : input.is === "place" ? "mm, %" : undefined;
      return { element: line, read: () => line.value, ...(unit ? { unit } : {}) };
    }
  }
}
