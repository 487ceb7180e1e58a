// Adding things: one form per kind.

import type { App } from "../../app";
import type { Kind, SceneView, Vector } from "../../protocol";
import { dialog, menu } from "../dialog";
import type { IconName } from "../icons";
import { tableKind } from "../keys";
import { anchorNames, cableNamed, freshName, positionAt, selectedCable } from "../scene-index";
import { digits, fieldValue, placeValue, toSi } from "../units";
import { constraintForm } from "./constraint";
import { openForm, OTHER, otherKeys, typedForm, type Form, type FormField, type Texts } from "./form";

const cables = (scene: SceneView): string[] => scene.cables.map((cable) => cable.name);

interface Adding {
  kind: Kind | "pulley";
  text: string;
  icon: IconName;
}

const KINDS: Adding[] = [
  { kind: "cable", text: "Cable", icon: "cable" },
  { kind: "port", text: "Port", icon: "port" },
  { kind: "part", text: "Rigid part", icon: "part" },
  { kind: "connector", text: "Connector of a part", icon: "connector" },
  { kind: "junction", text: "Junction", icon: "junction" },
  { kind: "clip", text: "Clip", icon: "clip" },
  { kind: "eye", text: "Eye", icon: "ring" },
  { kind: "pulley", text: "Pulley", icon: "pulley" },
  { kind: "bead", text: "Bead", icon: "bead" },
  { kind: "load", text: "Force or moment", icon: "load" },
  { kind: "pole", text: "Pole", icon: "pole" },
  { kind: "obstacle", text: "Obstacle", icon: "mesh" },
  { kind: "bundle", text: "Bundle of wires", icon: "bundle" },
  { kind: "constraint", text: "Constraint", icon: "constraint" },
  { kind: "motion", text: "Motion", icon: "motion" },
];

/** The menu of kinds below a button. */
export function addMenu(app: App, owner: HTMLElement): void {
  menu(owner, KINDS.map(({ kind, text }) => ({ text, act: () => addDialog(app, kind) })));
}

export function addDialog(app: App, kind: Adding["kind"]): void {
  if (!app.scene) return;
  const cable = selectedCable(app) ?? app.scene.cables[0];
  const form = kind === "constraint" ? constraintForm(app) : addForm(app.scene, kind, cable?.name, (name, text) => placeOn(app, name, text));
  const box = dialog(form.title, "adding", openForm(app, form, () => box.close()));
  box.querySelector<HTMLInputElement>("input")?.focus();
}

/** A place on a cable now: where it is, and which way the cable goes there. */
export interface OnCable {
  position: Vector;
  tangent: Vector;
}

/** Finds the place that a field names: a share or a length; anything else is no place yet. */
function placeOn(app: App, name: string, text: string): OnCable | null {
  const cable = cableNamed(app.scene, name);
  const value = cable && placeValue(text);
  const si = toSi(value);
  if (!cable || si === null) return null;
  const s = typeof value === "string" && value.trim().endsWith("%") ? si * cable.length : si;
  const step = cable.length / 200;
  const [from, position, to] = [s - step, s, s + step].map((at) => positionAt(app, cable, Math.min(Math.max(at, 0), cable.length)));
  if (!from || !position || !to) return null;
  return { position, tangent: unit([to[0] - from[0], to[1] - from[1], to[2] - from[2]]) };
}

function unit([x, y, z]: Vector): Vector {
  const size = Math.hypot(x, y, z) || 1;
  return [x / size, y / size, z / size];
}

/** A wheel below a cable that lies on it: its middle and its axle, about which the cable goes by the right hand. */
export function wheelBelow({ position, tangent }: OnCable, radius: number): { position: Vector; axle: Vector } {
  const [tx, ty, tz] = tangent;
  // Up, square to the cable; one that hangs straight down has the wheel at its side.
  const up = unit(Math.abs(tz) > 0.99 ? [1 - tx * tx, -tx * ty, -tx * tz] : [-tz * tx, -tz * ty, 1 - tz * tz]);
  const axle: Vector = [up[1] * tz - up[2] * ty, up[2] * tx - up[0] * tz, up[0] * ty - up[1] * tx];
  return { axle, position: [position[0] - radius * up[0], position[1] - radius * up[1], position[2] - radius * up[2]] };
}

/** The keys of an obstacle that its shape has; a box and a ball stand upright. */
export function sized(values: Record<string, unknown>): Record<string, unknown> {
  const sizes: Record<string, string[]> = { sphere: ["radius"], tube: ["radius"], cylinder: ["radius", "length"], capsule: ["radius", "length"], box: ["size"], plane: [] };
  const own = sizes[String(values["shape"])] ?? [];
  const upright = ["box", "sphere"].includes(String(values["shape"]));
  const keeps = (key: string): boolean => (["radius", "length", "size"].includes(key) ? own.includes(key) : !(key === "tangent" && upright));
  return Object.fromEntries(Object.entries(values).filter(([key]) => keeps(key)));
}

/** The form for a new thing of a kind; `where` knows where cables are. */
export function addForm(scene: SceneView, kind: Adding["kind"], cable: string | undefined, where: (cable: string, at: string) => OnCable | null = () => null): Form {
  const near = cable === undefined ? null : (where(cable, "50 %")?.position ?? null);
  const name = (base: string) => ({ name: "name", label: "Name", input: { is: "text", value: freshName(scene, base) } }) as const;
  const at = (point: Vector): [string, string, string] => [digits(point[0] * 1000, 4), digits(point[1] * 1000, 4), digits(point[2] * 1000, 4)];
  const position = { name: "position", label: "Position", input: { is: "vector", dimension: "length", value: at(near ?? [0, 0, 0]) } } as const;
  const tangent = { name: "tangent", label: "Tangent", hint: "Direction of the cable from its beginning to its end", input: { is: "vector", dimension: "number", value: ["1", "0", "0"] } } as const;
  const on = { name: "cable", label: "Cable", input: { is: "name", of: cables, value: cable ?? scene.cables[0]?.name ?? "" } } as const;
  const place = { name: "at", label: "Place", input: { is: "place", value: "50 %" } } as const;
  const mass = (value: string): FormField => ({ name: "mass", label: "Mass", input: { is: "quantity", dimension: "mass", value } });
  const text = KINDS.find((each) => each.kind === kind) ?? { kind, text: kind, icon: "plus" as const };
  const head = (hint: string) => ({ id: `add.${kind}`, title: text.text, hint, icon: "plus", act: "Add" }) as const;
  const form = (hint: string, fields: FormField[]): Form => ({
    ...head(hint), fields,
    command: ({ more, ...values }) => ({ do: "add", kind: tableKind(kind), with: { ...values, ...otherKeys(more) } }),
  });
  switch (kind) {
    case "cable":
      return typedForm({
        ...head("Between two ends; with slack it is longer than a smooth way by that share."),
        fields: [
          name("cable"),
          { name: "from", label: "From", input: { is: "name", of: anchorNames } },
          { name: "to", label: "To", input: { is: "name", of: (now) => ["free", ...anchorNames(now)] } },
          { name: "slack", label: "Slack", hint: "A share or a length", input: { is: "text", value: "10 %" } },
          { name: "part", label: "Part", hint: "Name in the material library", input: { is: "library", value: "wire-2.5" } },
        ],
        command: ({ name: own, from, to, slack, part }) => ({ do: "create-cable", name: own, from, to, slack, with: { part } }),
      });
    case "port":
      return form("A pose that is held: the socket of a cable.", [name("port"), position, { ...tangent, optional: true }]);
    case "part":
      return form("A rigid body. Cables plug into its connectors.", [name("part"), position, mass("200"),
        { name: "hold", label: "Hold", input: { is: "choice", of: ["free", "fixed", "position"], value: "fixed" } }, OTHER]);
    case "connector":
      return typedForm({
        ...head("Where a cable plugs in, in the axes of the part."),
        fields: [
          { name: "on", label: "Part", input: { is: "name", of: (now) => now.things.filter((thing) => thing.kind === "part").map((thing) => thing.name) } },
          name("plug"), { ...position, input: { is: "vector", dimension: "length", value: at([0, 0, 0]) } }, tangent],
        command: ({ on: part, ...values }) => ({ do: "add", kind: "connector", on: part, with: values }),
      });
    case "junction":
      return typedForm({
        ...head("A branch, held by its cables alone: it comes with a first one. The position is a first guess."),
        fields: [name("junction"), position,
          { name: "cable", label: "Its cable", input: { is: "text", value: freshName(scene, "cable") } },
          { name: "from", label: "comes from", input: { is: "name", of: anchorNames, value: anchorNames(scene)[0] ?? "" } },
          { name: "length", label: "Length", input: { is: "quantity", dimension: "length", value: "200" } },
          { name: "part", label: "Part", hint: "Name in the material library", input: { is: "library", value: "wire-2.5" } }],
        command: ({ name: own, position: guess, cable: first, from, length, part }) => ({ do: "all", of: [
          { do: "add", kind: "junction", with: { name: own, position: guess } },
          { do: "create-cable", name: first, from, to: own, length, with: { part } },
        ] }),
      });
    case "clip":
      return typedForm({
        ...head("Holds the cable where it is now."),
        fields: [name("clip"), on, place,
          { name: "hold", label: "Hold", input: { is: "choice", of: ["clamped", "pinned", "free"], value: "clamped" } }],
        command: ({ name: own, cable: first, at: spot, hold }) => ({ do: "add-handle", name: own, cable: first, at: spot, hold }),
      });
    case "eye":
      return {
        ...form("A point that the cable slides through.", [name("eye"), on, place, position,
          { name: "friction", label: "Friction µ", input: { is: "quantity", dimension: "number" }, optional: true }]),
        propose: (texts): Texts => {
          const here = where(String(texts["cable"]), String(texts["at"]));
          return here ? { position: at(here.position) } : {};
        },
      };
    case "pulley":
      return {
        ...form("A wheel; the cable goes round its axle by the right hand.", [name("pulley"), on, place, position,
          { name: "radius", label: "Radius", input: { is: "quantity", dimension: "length", value: "30" } },
          { name: "axle", label: "Axle", input: { is: "vector", dimension: "number", value: ["0", "1", "0"] } },
          { name: "friction", label: "Friction µ", input: { is: "quantity", dimension: "number" }, optional: true }]),
        propose: (texts): Texts => {
          const here = where(String(texts["cable"]), String(texts["at"]));
          const radius = toSi(fieldValue(String(texts["radius"]), "length"));
          if (!here || radius === null) return {};
          const wheel = wheelBelow(here, radius);
          return { position: at(wheel.position), axle: wheel.axle.map((each) => digits(Math.abs(each) < 1e-3 ? 0 : each, 3)) };
        },
      };
    case "bead":
      return form("A ball that slides on a cable.", [name("bead"), on, place, mass("5"),
        { name: "radius", label: "Radius", input: { is: "quantity", dimension: "length", value: "10" } }]);
    case "load":
      return form("A force or moment at one place of a cable.", [
        { name: "name", label: "Name", input: { is: "text" }, optional: true }, ...(scene.single ? [] : [on]), place,
        { name: "force", label: "Force", input: { is: "vector", dimension: "force", value: ["0", "0", "-1"] }, optional: true },
        { name: "moment", label: "Moment", input: { is: "vector", dimension: "moment" }, optional: true },
        { name: "axes", label: "Axes", input: { is: "choice", of: ["world", "material"], value: "world" } }, OTHER]);
    case "pole": {
      // Below the cable, so that it lies beside it and the cable can be laid over it.
      const [x, y, z] = near ?? [0, 0, 0];
      return form("A round bar without ends that no cable enters.", [name("pole"),
        { name: "through", label: "Through", hint: "A point of its axis", input: { is: "vector", dimension: "length", value: at([x, y, z - 0.03]) } },
        { name: "axis", label: "Axis", hint: "The way it runs", input: { is: "vector", dimension: "number", value: ["0", "1", "0"] } },
        { name: "radius", label: "Radius", hint: "Of its surface", input: { is: "quantity", dimension: "length", value: "20" } },
        { name: "friction", label: "Friction µ", input: { is: "quantity", dimension: "number" }, optional: true }]);
    }
    case "bundle":
      return {
        ...form("Wires that cables are made of, by name: its diameter, mass and stiffness follow. More wires, tape and conduit on the right.", [name("bundle"),
          { name: "count", label: "Wires", input: { is: "count", value: "12" } },
          { name: "gauge", label: "Copper of one, mm²", input: { is: "text", value: "0.5" } },
          { name: "diameter", label: "Outer diameter of one", input: { is: "quantity", dimension: "length", value: "1.6" } }]),
        command: ({ name: called, count, gauge, diameter }) => ({ do: "add", kind: "bundle", with: { name: called, wire: [{ count, gauge: `${String(gauge)} mm^2`, diameter }] } }),
      };
    case "obstacle": {
      // Below the cable, so that it lies beside it and is pushed up against it.
      const [x, y, z] = near ?? [0, 0, 0];
      return {
        ...form("What cables cannot enter. A mesh becomes one when its file is dropped onto the page.", [name("obstacle"),
          { name: "shape", label: "Shape", input: { is: "choice", of: ["cylinder", "box", "sphere", "plane", "capsule", "tube"], value: "cylinder" } },
          { ...position, input: { is: "vector", dimension: "length", value: at([x, y, z - 0.06]) } },
          { name: "tangent", label: "Axis", hint: "The way a bar or a tube runs; a plane is open to it", input: { is: "vector", dimension: "number", value: ["0", "1", "0"] } },
          { name: "radius", label: "Radius", hint: "Not of a box or a plane", input: { is: "quantity", dimension: "length", value: "20" } },
          { name: "length", label: "Length", hint: "Of a bar", input: { is: "quantity", dimension: "length", value: "200" } },
          { name: "size", label: "Size", hint: "Of a box", input: { is: "vector", dimension: "length", value: ["60", "60", "40"] } },
          { name: "friction", label: "Friction µ", input: { is: "quantity", dimension: "number" }, optional: true }]),
        // What the shape does not have is left out.
        command: (values) => ({ do: "add", kind: "obstacle", with: sized(values) }),
      };
    }
    default:
      return form("What is taken in hand, and where it goes in time.", [
        { name: "target", label: "Target", input: { is: "name", of: anchorNames } },
        { name: "by", label: "By", input: { is: "vector", dimension: "length", value: ["0", "0", "50"] } },
        { name: "duration", label: "Duration", input: { is: "quantity", dimension: "time", value: "1" } }, OTHER]);
  }
}
