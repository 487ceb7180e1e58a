// Sliders for what a cable is made of: whichever way the file describes it.

import type { App } from "../../app";
import type { Cable, Command, TableView } from "../../protocol";
import { tryCommand } from "../act";
import { button, h } from "../dom";
import { isTable, setCommand } from "../keys";
import { quantity, toSi } from "../units";
import { slider, type Slide } from "./slider";

/** Where the stiffness of a cable stands in its table. */
export function sectionSource(table: TableView | null): "section" | "measured" | "override" {
  if (isTable(table?.keys["section"])) return "section";
  return isTable(table?.keys["measured"]) ? "measured" : "override";
}

/**
 * The disc with the same stiffness: E = 4K/(π r⁴), and ν from K3 = G π r⁴/2 with G = E/(2(1 + ν)), which is ν = K/K3 − 1;
 * kept within what an isotropic solid can have.
 */
export function discLike(radius: number, bend: number, torsion: number): { youngs_modulus: number; poisson: number } {
  return {
    youngs_modulus: (4 * bend) / (Math.PI * radius ** 4),
    poisson: Math.min(0.5, Math.max(-0.95, bend / torsion - 1)),
  };
}

export function sectionSliders(app: App, cable: Cable, table: TableView | null): HTMLElement[] {
  const source = sectionSource(table);
  const name = cable.name;
  const inner = isTable(table?.keys[source]) ? table.keys[source] : {};
  const set = (key: string) => (value: string | number): Command => setCommand("cable", name, `${source}.${key}`, value);
  const around = (value: number, factor: number): Pick<Slide, "value" | "min" | "max" | "log"> =>
    ({ value, min: value / factor, max: value * factor, log: true });
  const made: HTMLElement[] = [];
  if (source === "section") {
    const modulus = toSi(inner["youngs_modulus"]);
    const { youngs_modulus, poisson } = discLike(cable.radius, cable.bend, cable.torsion);
    const ratio = toSi(inner["poisson"]) ?? poisson;
    made.push(slider(app, { id: "cable.E", label: "Young's modulus E", dimension: "stress", hint: "Of the material; K = E I.",
      ...around(modulus ?? youngs_modulus, 10), command: set("youngs_modulus") }));
    made.push(slider(app, { id: "cable.nu", label: "Poisson's ratio ν", dimension: "number", hint: "Twisting against bending: G = E/(2(1 + ν)).",
      value: ratio, min: 0, max: 0.5, command: set("poisson") }));
    for (const [key, label] of [["radius", "Radius"], ["diameter", "Diameter"], ["outer_radius", "Outer radius"],
      ["outer_diameter", "Outer diameter"], ["inner_radius", "Inner radius"], ["inner_diameter", "Inner diameter"],
      ["width", "Width"], ["height", "Height"]] as const) {
      const value = toSi(inner[key]);
      if (value) made.push(slider(app, { id: `cable.${key}`, label, dimension: "length", hint: "Of the section.", ...around(value, 3), command: set(key) }));
    }
    return made;
  }
  const bends = ["bend1", "bend2"].filter((key) => inner[key] !== undefined);
  for (const key of bends.length > 0 ? bends : ["bend"]) {
    made.push(slider(app, { id: `cable.${key}`, label: `Bending stiffness${key === "bend" ? "" : key === "bend1" ? " K1" : " K2"}`,
      dimension: "stiffness", hint: "How hard it is to bend.", ...around(toSi(inner[key]) ?? cable.bend, 10), command: set(key) }));
  }
  made.push(slider(app, { id: "cable.twist", label: "Twisting stiffness", dimension: "stiffness", hint: "How hard it is to twist.",
    ...around(toSi(inner["twist"]) ?? cable.torsion, 10), command: set("twist") }));
  const width = inner["radius"] === undefined && inner["diameter"] !== undefined
    ? { key: "diameter", label: "Diameter", value: toSi(inner["diameter"]) ?? 2 * cable.radius }
    : { key: source === "override" || inner["radius"] !== undefined ? "radius" : "diameter", label: "Radius", value: cable.radius };
  if (width.value > 0) {
    made.push(slider(app, { id: "cable.radius", label: width.label, dimension: "length", hint: "Of the outside: drawing, contact, inner side of a bend.",
      ...around(width.value, 3), command: set(width.key) }));
  }
  const mass = toSi(inner["mass_per_length"]);
  if (mass) {
    made.push(slider(app, { id: "cable.mass", label: "Mass per length", dimension: "mass_per_length", hint: "Its weight.",
      ...around(mass, 10), command: set("mass_per_length") }));
  }
  made.push(h("div", { class: "actions" }, button(null, "Describes the cable by a disc of the same stiffness: E and ν can then be changed",
    () => void byShape(app, cable, table), { text: "Describe by E and ν …" })));
  return made;
}

/** Replaces the part by a disc that is as stiff. */
async function byShape(app: App, cable: Cable, table: TableView | null): Promise<void> {
  const { youngs_modulus, poisson } = discLike(cable.radius, cable.bend, cable.torsion);
  const section = {
    shape: "disc", radius: quantity(cable.radius, "length"), youngs_modulus: quantity(youngs_modulus, "stress"),
    poisson: Number(poisson.toPrecision(6)), density: "1500 kg/m^3",
  };
  const gone = ["part", "measured", "bundle", "override"].filter((key) => table?.keys[key] !== undefined);
  const set = (key: string, value: unknown): Command => ({ do: "set", kind: "cable", name: cable.name, key, value });
  const answer = await tryCommand(app, {
    do: "all", of: [...gone.map((key) => set(key, null)), set("section", section)],
  });
  if ("error" in answer) app.notice(answer.error, "error");
}
