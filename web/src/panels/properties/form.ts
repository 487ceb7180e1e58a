// Small forms: what a person fills in, and the command that is made of it.

import type { App } from "../../app";
import type { Command, Quantity, SceneView } from "../../protocol";
import { tryCommand } from "../act";
import { button, h, lazyFold, say, visible } from "../dom";
import type { IconName } from "../icons";
import { isTable } from "../keys";
import { rawText, rawValue } from "./field";
import { materials } from "./library";
import { fieldValue, placeValue, unitLabel, type Dimension } from "../units";

export type Input =
  | { is: "quantity"; dimension: Dimension; value?: string }
  | { is: "count"; value?: string }
  | { is: "vector"; dimension: Dimension; value?: readonly [string, string, string] }
  | { is: "place"; of?: readonly string[]; value?: string }
  | { is: "points"; value?: string }
  | { is: "text"; value?: string }
  | { is: "choice"; of: readonly string[]; value?: string }
  | { is: "name"; of: (scene: SceneView) => string[]; none?: string; value?: string }
  | { is: "library"; value?: string }
  | { is: "flag"; value?: boolean };

/** What stands in the fields of a form. */
export type Texts = Record<string, string | string[] | boolean>;

export interface FormField {
  name: string;
  label: string;
  hint?: string;
  input: Input;
  optional?: boolean;
  /** Shown, and read, only where this holds. */
  when?: (texts: Texts) => boolean;
}

export type Values = Record<string, unknown>;

/** What is read from an input. */
type ValueOf<I extends Input> = I extends { is: "quantity" | "place" } ? Quantity
  : I extends { is: "vector" } ? [Quantity, Quantity, Quantity]
  : I extends { is: "choice"; of: readonly (infer Word)[] } ? Word
  : I extends { is: "count" } ? number
  : I extends { is: "points" } ? unknown[]
  : I extends { is: "flag" } ? boolean
  : string;

/** Fields that may be empty, or not shown. */
type Spare = { optional: true } | { when: unknown };

/** What is read from fields, by their names. */
export type ValuesOf<F extends FormField> = { [G in Exclude<F, Spare> as G["name"]]: ValueOf<G["input"]> }
  & { [G in Extract<F, Spare> as G["name"]]?: ValueOf<G["input"]> };

export interface Form {
  id: string;
  title: string;
  /** What it does; perhaps by what was chosen. */
  hint: string | ((texts: Texts) => string);
  icon: IconName;
  fields: FormField[];
  /** The word on the button. */
  act: string;
  command: (values: Values) => Command;
  /** What suits what was chosen; it goes into fields that nobody has touched. */
  propose?: (texts: Texts) => Texts;
}

/** A form whose command is made of what its own fields give: a name or a kind that does not fit does not compile. */
export function typedForm<const F extends readonly FormField[]>(
  form: Omit<Form, "fields" | "command"> & { fields: F; command: (values: ValuesOf<F[number]>) => Command },
): Form {
  // `readForm` gives every field what `ValueOf` says.
  return form as unknown as Form;
}

/** The values of a form as commands want them; the label of the first field that is empty, where one must not be. */
export function readForm(fields: readonly FormField[], texts: Texts): Values | string {
  const values: Values = {};
  for (const { name, label, input, optional, when } of fields) {
    if (when && !when(texts)) continue;
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
  if (input.is === "count") {
    const count = fieldValue(clean, "number");
    return typeof count === "number" ? count : null;
  }
  if (input.is === "points") return pointsOf(clean);
  return input.is === "place" ? placeValue(clean) : clean;
}

/** One point a line, three lengths each, in millimetres where no unit stands beside them. */
export function pointsOf(text: string): unknown[] {
  return text.split(/[\n;]/).filter((row) => row.trim() !== "").map((row) =>
    row.split(row.includes(",") ? "," : /\s+/).filter((part) => part.trim() !== "").map((part) => fieldValue(part, "length")));
}

/** Any other key of the file, for those who know it. */
export const OTHER: FormField = {
  name: "more", label: "Other keys", hint: 'Keys of the scene file as JSON: {"side": "above"}', input: { is: "text" }, optional: true,
};

/** What is no table is sent as it is, and refused with a sentence. */
export function otherKeys(text: unknown): Record<string, unknown> {
  if (text === undefined) return {};
  const value = rawValue(String(text));
  return isTable(value) ? value : { more: value };
}

/** A form that unfolds in a panel. */
export function foldedForm(app: App, form: Form, done?: () => void): HTMLElement {
  const title = typeof form.hint === "string" ? form.hint : "";
  return lazyFold(`form.${form.id}`, h("span", { title }, form.title), false, () => [openForm(app, form, done)]);
}

/** A form in the open. */
export function openForm(app: App, form: Form, done?: () => void): HTMLElement {
  const made = new Map<string, Made>();
  const shown = new Map<FormField, HTMLElement>();
  const touched = new Set<string>();
  const hint = h("p", { class: "form-hint" });
  const problem = h("p", { class: "field-error", hidden: true, role: "alert" });
  const fail = (message: string | null): void => {
    problem.textContent = message ?? "";
    visible(problem, message !== null);
  };
  const rows = form.fields.map((field) => {
    const id = `${form.id}.${field.name}`;
    const input = inputOf(app, id, field.input);
    made.set(field.name, input);
    const row = h("div", { class: "field", title: field.hint ?? "", on: { input: () => {
      touched.add(field.name);
      suit();
    } } },
      h("label", { class: "field-label", for: id }, field.label),
      h("div", { class: "field-value" }, input.element, input.unit ? h("span", { class: "unit" }, input.unit) : null));
    shown.set(field, row);
    return row;
  });
  const texts = (): Texts => Object.fromEntries([...made].map(([name, { read }]) => [name, read()]));
  /** Shows the fields that count, with values that suit what was chosen. */
  const suit = (): void => {
    for (const [name, text] of Object.entries(form.propose?.(texts()) ?? {})) {
      if (!touched.has(name)) made.get(name)?.write(text);
    }
    const now = texts();
    say(hint, typeof form.hint === "string" ? form.hint : form.hint(now));
    for (const [field, row] of shown) visible(row, field.when?.(now) ?? true);
  };
  suit();
  const submit = async (): Promise<void> => {
    const values = readForm(form.fields, texts());
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
  } } },
    hint, ...rows, problem,
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
  write: (text: string | string[] | boolean) => void;
  unit?: string;
}

/** The reader and the writer of a field with one line of text. */
function oneText(holder: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement): Pick<Made, "read" | "write"> {
  return { read: () => holder.value, write: (text) => void (holder.value = String(text)) };
}

function inputOf(app: App, id: string, input: Input): Made {
  switch (input.is) {
    case "vector": {
      const parts = ["x", "y", "z"].map((axis, index) =>
        h("input", { type: "text", id: index === 0 ? id : `${id}.${axis}`, class: `axis-${axis}`, value: input.value?.[index] ?? "",
          placeholder: axis, title: axis, data: { focus: `${id}.${axis}` } }));
      return {
        element: h("div", { class: "vector" }, ...parts), unit: unitLabel(input.dimension), read: () => parts.map((part) => part.value),
        write: (texts) => parts.forEach((part, index) => (part.value = Array.isArray(texts) ? (texts[index] ?? "") : "")),
      };
    }
    case "choice": {
      const select = h("select", { id, data: { focus: id } },
        ...input.of.map((each) => h("option", { value: each, selected: each === input.value }, each)));
      return { element: select, ...oneText(select) };
    }
    case "name": {
      const names = app.scene ? input.of(app.scene) : [];
      const select = h("select", { id, data: { focus: id } },
        h("option", { value: "", selected: !input.value }, input.none ?? (names.length > 0 ? "choose …" : "there is none")),
        ...names.map((each) => h("option", { value: each, selected: each === input.value }, each)));
      return { element: select, ...oneText(select) };
    }
    case "points": {
      const area = h("textarea", { id, rows: 4, data: { focus: id }, spellcheck: "false" }, input.value ?? "");
      return { element: area, ...oneText(area), unit: "mm" };
    }
    case "library": {
      const list = h("datalist", { id: `${id}.names` });
      const line = h("input", { type: "text", id, value: input.value ?? "", list: list.id, data: { focus: id }, autocomplete: "off" });
      // Without the list the name can still be typed.
      materials().then((all) => list.replaceChildren(...all.map((part) => h("option", { value: part.name }, part.title))), () => undefined);
      return { element: h("span", { class: "with-list" }, line, list), ...oneText(line) };
    }
    case "flag": {
      const box = h("input", { type: "checkbox", id, checked: input.value === true, data: { focus: id } });
      return { element: box, read: () => box.checked, write: (on) => void (box.checked = on === true) };
    }
    default: {
      const line = h("input", { type: "text", id, value: rawText(input.value), data: { focus: id }, autocomplete: "off" });
      const unit = input.is === "quantity" ? unitLabel(input.dimension) : input.is === "place" ? "mm, %" : undefined;
      const names = input.is === "place" && input.of ? h("datalist", { id: `${id}.names` }, ...input.of.map((name) => h("option", { value: name }))) : null;
      if (names) line.setAttribute("list", names.id);
      return { element: names ? h("span", { class: "with-list" }, line, names) : line, ...oneText(line), ...(unit ? { unit } : {}) };
    }
  }
}
