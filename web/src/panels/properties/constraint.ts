// The form for a constraint: its kind decides which fields there are, and what is chosen decides what they begin with.

import type { App } from "../../app";
import type { SceneView, Vector } from "../../protocol";
import { anchorNames, positionOf, thingNamed } from "../scene-index";
import { digits, fieldValue, toSi } from "../units";
import { OTHER, otherKeys, type Form, type FormField, type Texts, type Values } from "./form";

export const POINTS = "One point a line: x, y, z in the world, in mm or with a unit";

/** What each kind keeps, in a sentence. */
const MEANING: Record<string, string> = {
  plane: "The point stays on a plane, or on one side of it.",
  line: "The point stays on a straight line.",
  circle: "The point stays on a circle.",
  path: "The point slides along a smooth path.",
  distance: "Two points keep their distance.",
  string: "At most that far apart: it pulls and never pushes.",
  apart: "At least that far apart: it pushes and never pulls.",
  coincide: "Two points stay together.",
  parallel: "Two directions stay parallel, each in the axes of its own.",
  aligned: "The first keeps its whole frame in the axes of the second.",
};

/** The world as one of two that are kept. */
const WORLD = "a point of the world";

const kindOf = (texts: Texts): string => String(texts["kind"] ?? "");
const mm = (position: Vector): [string, string, string] => [digits(position[0] * 1000, 5), digits(position[1] * 1000, 5), digits(position[2] * 1000, 5)];

/** A straight path through a place, to begin with: 100 mm along x. */
export function pathThrough(here: Vector): string {
  return [-0.05, 0, 0.05].map((off) => mm([here[0] + off, here[1], here[2]]).join(", ")).join("\n");
}

/** What it is likely about: what is selected, else the first that is not held anyway. */
function first(app: Pick<App, "scene" | "selection">): string {
  const { scene, selection } = app;
  const names = anchorNames(scene);
  if (selection && "thing" in selection && names.includes(selection.thing)) return selection.thing;
  return scene?.things.find((thing) => names.includes(thing.name) && thing.kind !== "port" && thing.kind !== "connector")?.name ?? names[0] ?? "";
}

function fields(scene: SceneView, point: string): FormField[] {
  const takes = (key: string) => (texts: Texts): boolean =>
    scene.constraints.find(({ kind }) => kind === kindOf(texts))?.keys.includes(key) ?? false;
  const names = anchorNames(scene);
  const other = names.find((name) => name !== point) ?? "";
  const pair = (texts: Texts): boolean => ["distance", "string", "apart", "coincide"].includes(kindOf(texts));
  const turned = (texts: Texts): boolean => ["parallel", "aligned"].includes(kindOf(texts));
  const vector = (name: string, label: string, dimension: "length" | "number", hint: string, value?: [string, string, string]): FormField =>
    ({ name, label, hint, input: { is: "vector", dimension, ...(value && { value }) }, when: takes(name) });
  return [
    { name: "kind", label: "Kind", input: { is: "choice", of: scene.constraints.map(({ kind }) => kind), value: "plane" } },
    { name: "name", label: "Name", hint: "To find it again in lists", input: { is: "text" }, optional: true },
    { name: "point", label: "Point", hint: "What is kept", input: { is: "name", of: anchorNames, value: point }, when: takes("point") },
    { name: "from", label: "From", hint: "One of the two", input: { is: "name", of: anchorNames, value: point }, when: takes("from") },
    { name: "to", label: "To", hint: "The other one", input: { is: "choice", of: [...names, WORLD], value: other || WORLD }, when: pair },
    { name: "frame", label: "To", hint: "The other one", input: { is: "name", of: anchorNames, none: "the world", value: other }, optional: true, when: turned },
    { ...vector("place", "Place", "length", "The point of the world", ["0", "0", "0"]), when: (texts) => pair(texts) && texts["to"] === WORLD },
    vector("through", "Through", "length", "A point of the plane or line"),
    vector("normal", "Normal", "number", "Direction that stands on the plane", ["0", "0", "1"]),
    { name: "side", label: "Side", hint: "Above is where the normal points", input: { is: "choice", of: ["on the plane", "above", "below"], value: "on the plane" }, when: takes("side") },
    vector("direction", "Direction", "number", "Of the line", ["1", "0", "0"]),
    vector("centre", "Centre", "length", "Of the circle"),
    // How an aligned frame is turned stands under the other keys: there are three ways to say it.
    { ...vector("axis", "Axis", "number", "Direction that stands on the circle", ["0", "0", "1"]), when: (texts) => kindOf(texts) === "circle" },
    { name: "radius", label: "Radius", input: { is: "quantity", dimension: "length", value: "50" }, when: takes("radius") },
    { name: "points", label: "Points", hint: POINTS, input: { is: "points" }, when: takes("points") },
    { name: "closed", label: "Closed", hint: "It returns to where it begins", input: { is: "flag" }, when: takes("closed") },
    { name: "distance", label: "Distance", hint: "As far as they are apart now, unless you change it", input: { is: "quantity", dimension: "length" }, when: takes("distance") },
    { name: "sense", label: "Sense", input: { is: "choice", of: ["equal", "at most", "at least"], value: "equal" }, when: takes("sense") },
    vector("from_direction", "Of from", "number", "A direction in its axes; z is the tangent of the cable", ["0", "0", "1"]),
    vector("to_direction", "Of to", "number", "A direction in its axes; z is the tangent of the cable", ["0", "0", "1"]),
    { name: "on", label: "Goes with", hint: "The geometry is then in the axes of that", input: { is: "name", of: anchorNames, none: "the world" }, optional: true, when: takes("on") },
    OTHER,
  ];
}

/** Geometry through where the point is now, and the distance that there is: nothing jumps when it is added. */
function proposal(app: App, texts: Texts): Texts {
  const at = (name: unknown): Vector | null => {
    const thing = typeof name === "string" ? thingNamed(app.scene, name) : null;
    return thing ? positionOf(app, thing) : null;
  };
  const made: Texts = {};
  // In the axes of something else, where the point is now says nothing.
  const here = texts["on"] ? null : at(texts["point"]);
  if (here) {
    const radius = toSi(fieldValue(String(texts["radius"]), "length")) ?? 0;
    made["through"] = mm(here);
    made["centre"] = mm([here[0] - radius, here[1], here[2]]);
    made["points"] = pathThrough(here);
  }
  const [from, to] = [at(texts["from"]), at(texts["to"])];
  if (from && to) made["distance"] = digits(Math.hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]) * 1000, 5);
  return made;
}

/** The keys of the file out of what was filled in. */
export function constraintKeys({ more, frame, place, to, side, closed, ...values }: Values): Values {
  const other = to === WORLD ? place : (to ?? frame);
  return {
    ...values,
    ...(other !== undefined && { to: other }),
    ...(side !== undefined && side !== "on the plane" && { side }),
    ...(closed === true && { closed }),
    ...otherKeys(more),
  };
}

export function constraintForm(app: App): Form {
  const scene = app.scene;
  return {
    id: "add.constraint", title: "Constraint", icon: "plus", act: "Add",
    hint: (texts) => MEANING[kindOf(texts)] ?? "",
    fields: scene ? fields(scene, first(app)) : [],
    propose: (texts) => proposal(app, texts),
    command: (values) => ({ do: "add", kind: "constraint", with: constraintKeys(values) }),
  };
}
