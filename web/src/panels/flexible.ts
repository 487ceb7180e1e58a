// Hoses that are meshes become cables, whole or between two places that are picked; lines of a file too.

import type { App, AppEvents, Tool } from "../app";
import { fetchJson } from "../connection";
import type { CablesFound, MakeFlexible, Vector } from "../protocol";
import { ask, dialog } from "./dialog";
import { button, h } from "./dom";
import { digits } from "./units";

const path = (app: App, what: string): string => `/api/sessions/${encodeURIComponent(app.session)}/${what}`;
const say = (app: App, error: unknown): void => app.notice(error instanceof Error ? error.message : String(error), "error");

/** What an obstacle would be as cables; `null` where it is none, which is said. */
async function found(app: App, asked: MakeFlexible): Promise<CablesFound | null> {
  try {
    return await fetchJson<CablesFound>(path(app, "flexible"), { method: "POST", body: JSON.stringify(asked) });
  } catch (error) {
    say(app, error);
    return null;
  }
}

/** One line about every cable. */
function told(cables: CablesFound["cables"]): HTMLElement {
  const mm = (x: number): string => digits(1000 * x, 4);
  const line = ({ length, diameter, bore }: CablesFound["cables"][number]): string =>
    `${mm(length)} mm long, ${mm(diameter)} mm thick${bore === null ? "" : `, bore ${mm(bore)} mm`}`;
  return h("ul", {}, ...cables.slice(0, 12).map((each) => h("li", {}, line(each))), cables.length > 12 && h("li", {}, `and ${cables.length - 12} more`));
}

/** Gives commands as one, so that one step undoes them. */
async function lay(app: App, made: CablesFound, what: string): Promise<void> {
  if (!(await app.command({ do: "all", of: made.commands }))) return;
  const cable = made.commands.find((each) => each.do === "create-cable");
  if (cable && "name" in cable && cable.name) app.select({ cable: cable.name });
  app.notice([what, ...made.warnings].join(" "), "good");
}

/** What a cable is made of, asked with what it would be; `null` where it is not to be. */
function material(title: string, made: CablesFound, more: { text: string; value: string }[] = []): Promise<{ chosen: string; material: string } | null> {
  const list = h("select", { id: "flexible-material", "aria-label": "Material" }, ...made.materials.map((each) => h("option", { value: each }, each)));
  list.value = made.materials.find((each) => each.startsWith("epdm")) ?? made.materials[0] ?? "";
  const text = h("div", {}, told(made.cables), ...made.warnings.map((each) => h("p", { class: "facts" }, each)),
    h("div", { class: "field" }, h("label", { class: "field-label", for: "flexible-material" }, "Material"), h("div", { class: "field-value" }, list)));
  return ask(title, text, [{ text: "Make it flexible", value: "all", kind: "primary" }, ...more])
    .then((chosen) => (chosen === null ? null : { chosen, material: list.value }));
}

/** Asks how an obstacle that is the mesh of a hose becomes flexible: all of it, or a stretch that is picked next. */
export async function makeFlexible(app: App, obstacle: string): Promise<void> {
  const made = await found(app, { obstacle });
  if (!made) return;
  const answer = await material(`“${obstacle}” as cables`, made, [{ text: "Only a stretch …", value: "stretch" }]);
  if (!answer) return;
  if (answer.chosen === "stretch") {
    app.select(null);
    app.use({ name: "flexible", obstacle, material: answer.material, spots: made.nodes.map(({ position }) => position) });
    return;
  }
  const laid = await found(app, { obstacle, material: answer.material });
  if (laid) await lay(app, laid, `“${obstacle}” is flexible now.`);
}

type Stretch = Extract<Tool, { name: "flexible" }>;

/** The first and the second place of a stretch. */
export async function pickStretch(app: App, tool: Stretch, { position, normal }: AppEvents["picked"]): Promise<void> {
  if (!normal) {
    app.notice(`Click the surface of “${tool.obstacle}”.`, "error");
    return;
  }
  if (!tool.from) {
    app.use({ ...tool, from: position });
    return;
  }
  app.use({ name: "select" });
  const between: [Vector, Vector] = [tool.from, position];
  const laid = await found(app, { obstacle: tool.obstacle, material: tool.material, between });
  if (laid) await lay(app, laid, `${digits(1000 * (laid.cables[0]?.length ?? 0), 4)} mm of “${tool.obstacle}” are flexible now; the rest stays.`);
}

/** Cables along the lines of a file; what it does not say is asked for. */
export async function takeCentreline(app: App, file: File): Promise<void> {
  const fields: Record<string, string> = { name: file.name };
  try {
    for (;;) {
      const made = await fetchJson<CablesFound>(path(app, "centreline"), { method: "POST", body: file }, fields);
      if (made.needs.includes("unit")) {
        const unit = await askUnit(file.name);
        if (!unit) return;
        fields["unit"] = unit;
      } else if (made.needs.includes("radius")) {
        const radius = await askRadius(file.name);
        if (!radius) return;
        fields["radius"] = radius;
      } else if (made.needs.includes("material")) {
        const answer = await material(`Lines of ${file.name}`, made);
        if (!answer) return;
        fields["material"] = answer.material;
      } else {
        await lay(app, made, `${file.name}: ${made.cables.length === 1 ? "a cable follows its line" : `${made.cables.length} cables follow its lines`}.`);
        return;
      }
    }
  } catch (error) {
    say(app, error);
  }
}

export function askUnit(name: string): Promise<string | null> {
  return ask("Unit of the file", `${name} does not say its unit. What is one of it?`, [
    { text: "mm", value: "mm", kind: "primary" }, { text: "cm", value: "cm" }, { text: "m", value: "m" }, { text: "inch", value: "in" },
  ]);
}

function askRadius(name: string): Promise<string | null> {
  return new Promise((resolve) => {
    const input = h("input", { id: "centreline-radius", type: "number", min: "0", step: "any", value: "4" });
    let chosen: string | null = null;
    const box = dialog("How thick is it?", "question", h("div", { class: "question-text" }, `${name} does not say how thick its cables are.`),
      h("div", { class: "field" }, h("label", { class: "field-label", for: "centreline-radius" }, "Radius"), h("div", { class: "field-value" }, input, h("span", { class: "unit" }, "mm"))),
      h("div", { class: "form-foot" }, button(null, "Go on", () => {
        if (!(Number(input.value) > 0)) return;
        chosen = `${input.value} mm`;
        box.close();
      }, { text: "Go on", kind: "primary" })));
    box.addEventListener("close", () => resolve(chosen));
  });
}
