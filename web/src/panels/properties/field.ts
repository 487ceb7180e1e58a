// One key of the scene as a field: label, editor, unit. The server checks it; what it refuses stays in the field, with
// its sentence below.

import type { App } from "../../app";
import type { Command } from "../../protocol";
import { tryCommand } from "../act";
import { h, visible } from "../dom";
import type { Editor, Key } from "../keys";
import { fieldText, fieldValue, placeValue, unitLabel, type Dimension } from "../units";
import { anchorNames } from "../scene-index";

/** Sends a value; resolves to the server's refusal or `null`. */
export type Commit = (value: unknown) => Promise<string | null>;

/** A commit that does a command. */
export function commandCommit(app: App, command: (value: unknown) => Command): Commit {
  return async (value) => {
    const answer = await tryCommand(app, command(value));
    return "error" in answer ? answer.error : null;
  };
}

/** What was typed has been taken: a panel that waited for it may be built anew. */
export function settle(row: HTMLElement): void {
  for (const input of row.querySelectorAll("input")) input.defaultValue = input.value;
  row.dispatchEvent(new Event("settled", { bubbles: true }));
}

interface Made {
  element: HTMLElement;
  unit?: string;
}

export function field(app: App, id: string, key: Key, value: unknown, commit: Commit): HTMLElement {
  const problem = h("p", { class: "field-error", hidden: true, role: "alert" });
  const row = h("div", { class: "field", title: key.hint });
  const send = async (next: unknown): Promise<void> => {
    row.classList.add("busy");
    const refusal = await commit(next);
    row.classList.remove("busy");
    row.classList.toggle("wrong", refusal !== null);
    problem.textContent = refusal ?? "";
    visible(problem, refusal !== null);
    if (refusal === null) settle(row);
  };
  const made = editor(app, id, key.editor, value, (next) => void send(next));
  row.append(
    h("label", { class: "field-label", for: id }, key.label),
    h("div", { class: "field-value" }, made.element, made.unit ? h("span", { class: "unit" }, made.unit) : null),
    problem,
  );
  return row;
}

function editor(app: App, id: string, kind: Editor, value: unknown, send: (value: unknown) => void): Made {
  switch (kind.is) {
    case "quantity":
      return {
        element: line(id, fieldText(value, kind.dimension), (text) => send(fieldValue(text, kind.dimension))),
        unit: unitLabel(kind.dimension),
      };
    case "vector":
      return { element: vector(id, value, kind.dimension, send), unit: unitLabel(kind.dimension) };
    case "place":
      return { element: line(id, fieldText(value, "length"), (text) => send(placeValue(text))), unit: "mm, %" };
    case "choice":
      return { element: choice(id, kind.of, value, send) };
    case "flag":
      return { element: flag(id, value === true, send) };
    case "axes":
      return { element: axes(id, value, send) };
    case "text":
      return { element: line(id, value === undefined ? "" : String(value), (text) => send(text.trim() === "" ? null : text.trim())) };
    case "reference": {
      const names = kind.to === "cable" ? (app.scene?.cables ?? []).map((cable) => cable.name) : anchorNames(app.scene);
      return { element: suggestions(id, names, value, send) };
    }
    case "raw":
      return { element: line(id, rawText(value), (text) => send(rawValue(text))) };
  }
}

/** A line of text that is sent when it is left or with Enter; Escape brings back what was there. */
export function line(id: string, text: string, send: (text: string) => void): HTMLInputElement {
  let sent = text;
  const input = h("input", { type: "text", id, value: text, data: { focus: id }, autocomplete: "off", spellcheck: "false" });
  const commit = (): void => {
    if (input.value === sent) return;
    sent = input.value;
    send(input.value);
  };
  input.addEventListener("change", commit);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") commit();
    if (event.key === "Escape") {
      input.value = text;
      sent = text;
      input.blur();
    }
  });
  return input;
}

function vector(id: string, value: unknown, dimension: Dimension, send: (value: unknown) => void): HTMLElement {
  const parts = Array.isArray(value) ? (value as unknown[]) : [];
  const inputs: HTMLInputElement[] = [];
  const commit = (): void => {
    const values = inputs.map((input) => fieldValue(input.value, dimension));
    if (values.every((each) => each === null)) send(null);
    else send(values.map((each) => each ?? 0));
  };
  for (const [index, axis] of ["x", "y", "z"].entries()) {
    const input = line(`${id}.${axis}`, fieldText(parts[index], dimension), commit);
    input.title = axis;
    input.classList.add(`axis-${axis}`);
    inputs.push(input);
  }
  return h("div", { class: "vector", id }, ...inputs);
}

function choice(id: string, of: readonly string[], value: unknown, send: (value: unknown) => void): HTMLElement {
  const given = typeof value === "string" ? value : "";
  const options = given !== "" && !of.includes(given) ? [given, ...of] : of;
  return h(
    "select",
    { id, data: { focus: id }, on: { change: (event) => {
      const chosen = (event.target as HTMLSelectElement).value;
      send(chosen === "" ? null : chosen);
    } } },
    h("option", { value: "", selected: given === "" }, "default"),
    ...options.map((each) => h("option", { value: each, selected: each === given }, each)),
  );
}

function flag(id: string, on: boolean, send: (value: unknown) => void): HTMLElement {
  return h("input", { type: "checkbox", id, checked: on, data: { focus: id }, on: {
    change: (event) => send((event.target as HTMLInputElement).checked),
  } });
}

/** Three switches, one per axis of the world. */
function axes(id: string, value: unknown, send: (value: unknown) => void): HTMLElement {
  const on = new Set(Array.isArray(value) ? value.map(String) : []);
  return h("div", { class: "axes", id }, ...["x", "y", "z"].map((axis) =>
    h("label", { class: `axis-${axis}` },
      h("input", { type: "checkbox", checked: on.has(axis), data: { focus: `${id}.${axis}` }, on: { change: (event) => {
        if ((event.target as HTMLInputElement).checked) on.add(axis);
        else on.delete(axis);
        send(["x", "y", "z"].filter((each) => on.has(each)));
      } } }), axis)));
}

/** A line that proposes names. */
export function suggestions(id: string, names: readonly string[], value: unknown, send: (value: unknown) => void): HTMLElement {
  const list = h("datalist", { id: `${id}.names` }, ...names.map((name) => h("option", { value: name })));
  const input = line(id, typeof value === "string" ? value : rawText(value), (text) => send(rawValue(text)));
  input.setAttribute("list", list.id);
  return h("span", { class: "with-list" }, input, list);
}

/** A value of the file as text: words plainly, everything else as JSON. */
export function rawText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Reads such a text: JSON where it is JSON, else a word. */
export function rawValue(text: string): unknown {
  const clean = text.trim();
  if (clean === "") return null;
  try {
    return JSON.parse(clean) as unknown;
  } catch {
    return clean;
  }
}
