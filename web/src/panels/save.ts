// Saving: to the file that belongs to the session, or under a name that is asked for.

import type { App } from "../app";
import { attempt } from "./act";
import { dialog } from "./dialog";
import { button, h } from "./dom";
import { sessionName } from "./sessions";

export async function save(app: App): Promise<void> {
  const done = await app.ask("save");
  if (done?.file) app.notice(`Saved: ${done.file}`, "good");
}

/** Asks for a name. What is there under it is replaced only after a second question, about that name alone. */
export function saveAs(app: App): void {
  const name = h("input", { type: "text", id: "save-as.name", value: `${app.session}-copy`, "aria-describedby": "save-as.error", maxlength: 60, autocomplete: "off", spellcheck: "false" });
  const error = h("p", { class: "field-error", id: "save-as.error", role: "alert" });
  const act = button(null, "Save", () => void write(), { text: "Save", kind: "primary", id: "save-as.save" });
  /** The name that is taken, and that may be replaced with the next press. */
  let taken: string | null = null;
  const show = (text: string, word: string): void => {
    error.textContent = text;
    act.querySelector(".button-text")?.replaceChildren(word);
    act.setAttribute("aria-label", word);
    act.title = word;
  };
  const write = async (): Promise<void> => {
    // As sessions are named: what a file may be called everywhere.
    const wanted = sessionName(name.value.trim().replace(/\.toml$/i, "") + ".toml");
    name.value = wanted;
    const answer = await attempt(app, "save", { name: wanted, replace: wanted === taken });
    if ("error" in answer) return show(answer.error, "Save");
    if (answer.ok.file === null) {
      taken = wanted;
      show(`There is another file ${wanted}.toml: replace it, or choose another name.`, "Replace it");
      name.select();
      return;
    }
    box.close();
    app.notice(`Saved: ${answer.ok.file}`, "good");
  };
  name.addEventListener("input", () => {
    taken = null;
    show("", "Save");
  });
  const form = h("form", { on: { submit: (event: Event) => {
    event.preventDefault();
    // Enter alone never replaces anything.
    if (taken === null) void write();
  } } }, h("label", { for: "save-as.name" }, "Name of the file in the folder of the studio"), name, error, h("div", { class: "form-foot" }, act));
  const box = dialog("Save as", "question", h("div", { class: "question-text" }, form));
  name.focus();
  name.select();
}
