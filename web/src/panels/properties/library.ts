// The parts of the material library: searched, compared, chosen.

import type { App } from "../../app";
import { fetchJson } from "../../connection";
import { placeWords } from "../../limits";
import type { Material } from "../../protocol";
import { dialog } from "../dialog";
import { h } from "../dom";
import { withUnit } from "../units";

let library: Promise<Material[]> | null = null;

/** Asked once; again after a failure. */
export function materials(): Promise<Material[]> {
  library ??= fetchJson<Material[]>("/api/materials").catch((error: unknown) => {
    library = null;
    throw error;
  });
  return library;
}

/** Parts that have every word of the search in their name, title or kind. */
export function matching(all: readonly Material[], search: string): Material[] {
  const words = search.toLowerCase().split(/\s+/).filter((word) => word !== "");
  return all.filter((part) => {
    const text = `${part.name} ${part.title} ${part.kind}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Lets a person choose a part. */
export async function choosePart(app: App, now: string | null, choose: (name: string) => void): Promise<void> {
  let all: Material[];
  try {
    all = await materials();
  } catch (error) {
    app.notice(error instanceof Error ? error.message : String(error), "error");
    return;
  }
  const body = h("tbody", {});
  const search = h("input", { type: "search", placeholder: "Search: hose, 2.5, USB …", "aria-label": "Search the library" });
  const box = dialog("Material library", "library",
    h("div", { class: "dialog-tools" }, search),
    h("div", { class: "table-scroll" }, h("table", { class: "list" },
      h("thead", {}, h("tr", {}, ...["Part", "Kind", "Diameter", "Min. bend radius, static", "dynamic", "Bending", "Mass"].map((name) => h("th", {}, name)))),
      body)));
  const fill = (): void => {
    body.replaceChildren(...matching(all, search.value).map((part) => h("tr", {
      class: part.name === now ? "chosen" : "", tabindex: 0, title: `${part.name}. ${part.source}`,
      on: {
        click: () => {
          choose(part.name);
          box.close();
        },
        keydown: (event) => {
          if (event.key !== "Enter") return;
          choose(part.name);
          box.close();
        },
      },
    },
      h("td", {}, h("b", {}, part.title), h("small", {}, part.name)),
      h("td", {}, part.kind),
      h("td", { class: "number" }, withUnit(part.diameter, "length", 3)),
      ...[part.bend_static, part.bend_dynamic].map((limit) =>
        h("td", { class: "number" }, limit === null ? "–" : `${withUnit(limit.radius, "length", 3)} ${placeWords(limit.reference)}`)),
      h("td", { class: "number" }, withUnit(part.bend, "stiffness", 3)),
      h("td", { class: "number" }, withUnit(part.mass_per_length, "mass_per_length", 3)))));
  };
  search.addEventListener("input", fill);
  fill();
  search.focus();
}
