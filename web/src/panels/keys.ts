// What the keys of a scene file mean to a person: a label, a unit, a sentence. crates/flexline-scene/FORMAT.md in a table.
// Keys that are not here are shown too, as they stand in the file.

import type { Command, HandleHold, Kind, Quantity, SceneView, TableView } from "../protocol";
import type { Dimension } from "./units";

export type Editor =
  | { is: "quantity"; dimension: Dimension }
  | { is: "vector"; dimension: Dimension }
  | { is: "place" }
  | { is: "choice"; of: readonly string[] }
  | { is: "flag" }
  | { is: "axes" }
  | { is: "text" }
  | { is: "reference"; to: "cable" | "anchor" | "part" | "library" }
  | { is: "raw" };

export interface Key {
  label: string;
  editor: Editor;
  hint: string;
}

const q = (label: string, dimension: Dimension, hint: string): Key => ({ label, editor: { is: "quantity", dimension }, hint });
const v = (label: string, dimension: Dimension, hint: string): Key => ({ label, editor: { is: "vector", dimension }, hint });
const c = (label: string, of: readonly string[], hint: string): Key => ({ label, editor: { is: "choice", of }, hint });
const place = (label: string, hint: string): Key => ({ label, editor: { is: "place" }, hint });
const text = (label: string, hint: string): Key => ({ label, editor: { is: "text" }, hint });
const flag = (label: string, hint: string): Key => ({ label, editor: { is: "flag" }, hint });
const raw = (label: string, hint: string): Key => ({ label, editor: { is: "raw" }, hint });
const ref = (label: string, to: "cable" | "anchor" | "part" | "library", hint: string): Key =>
  ({ label, editor: { is: "reference", to }, hint });

const HOLDS = ["clamped", "pinned", "free"] as const;

const POSE: Record<string, Key> = {
  position: v("Position", "length", "In the axes of the world; of a connector, or of an eye on something, in the axes of that."),
  tangent: v("Tangent", "number", "Direction of the cable, from its beginning to its end. Any length but zero."),
  up: v("Up", "number", "With a tangent: where the first axis of the section leans to."),
  quaternion: raw("Quaternion", "[w, x, y, z]: the frame, material to world. Instead of a tangent."),
  axis: v("Axis", "number", "With an angle: turn of the frame from the axes of the world."),
  angle: q("Angle", "angle", "With an axis: turn of the frame."),
  slides: { label: "Slides along", editor: { is: "axes" }, hint: "Axes of the world along which it may move." },
  force: v("Force", "force", "Acts where it is free to move."),
  moment: v("Moment", "moment", "Acts where it is free to turn."),
};

const NAME = text("Name", "Changes wherever the name stands.");
const HOLD = c("Hold", HOLDS, "Clamped: position and direction. Pinned: position only. Free: it follows.");
const END: Record<string, Key> = {
  ...POSE,
  hold: HOLD,
  twist: q("Twist", "angle", "Turn about the tangent on top of the frame; full turns count."),
  axes: c("Axes of loads", ["world", "material"], "World: force and moment keep their direction. Material: they turn with the end."),
};

const MEASURED: Record<string, Key> = {
  bend: q("Bending stiffness", "stiffness", "Of both axes of the section."),
  bend1: q("Bending stiffness K1", "stiffness", "About the first axis of the section."),
  bend2: q("Bending stiffness K2", "stiffness", "About the second axis of the section."),
  twist: q("Twisting stiffness", "stiffness", "K3."),
  mass_per_length: q("Mass per length", "mass_per_length", "0 or more."),
  diameter: q("Diameter", "length", "Of the outside: drawing, contact, inner side of a bend."),
  radius: q("Radius", "length", "Of the outside."),
};

const SECTION: Record<string, Key> = {
  shape: c("Shape", ["disc", "tube", "ellipse", "rectangle"], "Stiffness computed from a shape is an estimate."),
  diameter: q("Diameter", "length", "Of a disc."),
  radius: q("Radius", "length", "Of a disc."),
  outer_diameter: q("Outer diameter", "length", "Of a tube."),
  outer_radius: q("Outer radius", "length", "Of a tube."),
  inner_diameter: q("Inner diameter", "length", "Of a tube."),
  inner_radius: q("Inner radius", "length", "Of a tube."),
  width: q("Width", "length", "Whole size along the first axis."),
  height: q("Height", "length", "Whole size along the second axis."),
  material: text("Material", "Name of the library."),
  youngs_modulus: q("Young's modulus E", "stress", "Needed without a material, else instead of its value."),
  poisson: q("Poisson's ratio ν", "number", "Above −1 and at most 0.5."),
  density: q("Density", "density", "Needed without a material, else instead of its value."),
};

const LIMITS: Record<string, Key> = {
  bend_radius_static: q("Bend radius, static", "length", "Smallest bend radius when laid once."),
  bend_radius_dynamic: q("Bend radius, dynamic", "length", "Smallest bend radius when bent again and again."),
  bend_reference: c("Measured at", ["centre", "inner"], "Where the radii are measured: centre line, or inner side of the bend."),
  tension: q("Tension", "force", "Largest tension."),
  twist: q("Twist per length", "twist", "Largest twist per length, either way."),
  strain: q("Strain", "number", "Largest strain of the outermost fibre by bending."),
  clearance: q("Clearance", "length", "Least distance from obstacles."),
  contact_force: q("Contact force", "force", "Largest force of obstacles on a stretch as long as the cable is thick."),
  contact_pressure: q("Contact pressure", "force_per_length", "Largest normal force of one neighbour per length, over a stretch as long as the cable is thick."),
  chafing_work: q("Chafing work", "work", "Most work of friction on a stretch as long as the cable is thick, since the scene was opened."),
};

const CABLE: Record<string, Key> = {
  name: NAME,
  length: q("Length", "length", "What lies on the cable keeps its place on it."),
  part: ref("Part", "library", "A part of the material library."),
  bundle: text("Bundle", "Name of a bundle of this scene: wires, tape and conduit."),
  use: c("Use", ["static", "dynamic"], "Static: laid once. Dynamic: bent again and again. Chooses the bend limit."),
  model: c("Model", ["mixed", "nodal", "helix", "clothoid", "spline"], "What its mechanics are computed with; changes in place."),
  segments: q("Segments", "number", "Of the models mixed and nodal."),
  elements: q("Elements", "number", "Of the models helix, clothoid and spline."),
  grading: raw("Grading", '"uniform", "auto", or {start, end}: finer near the ends.'),
  closed: flag("Closed ring", "Its end is joined to its beginning."),
  from: ref("Begins in", "anchor", "Port, connector, junction, clip, eye or bead."),
  to: ref("Ends in", "anchor", "Likewise, or free."),
  grip_from: c("Grip at the beginning", ["clamped", "pinned"], "Clamped: position and direction. Pinned: position only."),
  grip_to: c("Grip at the end", ["clamped", "pinned"], "Clamped: position and direction. Pinned: position only."),
  from_tangent: v("Leaves along", "number", "At a junction, clip, eye or bead, in the axes of that."),
  to_tangent: v("Arrives along", "number", "At a junction, clip, eye or bead, in the axes of that."),
  twist: q("Turn of the far end", "angle", "About its tangent; full turns count."),
  feed: q("Winch pays out", "length", "At its end; below zero it reels in."),
  "route.tension": q("Route: tension paid", "force", "The cable finds its own length and pays this tension for it."),
  "route.bend_length": q("Route: bend length", "length", "The length over which it bends: the smaller, the straighter."),
  rest: raw("Rest shape", '"straight", or curvature and twist: the shape without loads.'),
  zone: raw("Zones", "Stretches with a section of their own, in order."),
  path: raw("Path", "Points that its first shape goes through, from its beginning to its end."),
  path_twist: q("Twist of the path", "angle", "Of that shape, from its beginning to its end."),
  friction: q("Friction µ on cables", "number", "Of two cables the geometric mean counts; on an obstacle it is the obstacle's."),
  passes_through: raw("Passes through", 'Names of obstacles and cables that it does not touch: ["wall"].'),
};

const nested = (prefix: string, keys: Record<string, Key>): Record<string, Key> =>
  Object.fromEntries(Object.entries(keys).map(([key, value]) => [`${prefix}.${key}`, value]));

Object.assign(CABLE, nested("section", SECTION), nested("measured", MEASURED), nested("override", MEASURED), nested("limits", LIMITS));

const KEYS: Record<string, Record<string, Key>> = {
  cable: CABLE,
  start: END,
  end: END,
  port: { name: NAME, ...POSE },
  connector: { name: NAME, ...POSE },
  part: {
    name: NAME, ...POSE,
    mass: q("Mass", "mass", "Above zero; required unless it is fixed."),
    centre: v("Centre of mass", "length", "In its own axes."),
    inertia: v("Inertia", "inertia", "Along its own axes, about the centre of mass; it counts in motion."),
    hold: c("Hold", ["free", "fixed", "position"], "Free: cables hold it. Fixed. Position: it may turn."),
    connector: raw("Connectors", "Where cables plug in."),
  },
  junction: { name: NAME, position: v("Position", "length", "A first guess: it follows its cables.") },
  clip: { name: NAME, cable: ref("Cable", "cable", "The cable it is on."), at: place("Place", "Along the cable: a length or a share, 40 %."), hold: HOLD, ...POSE },
  eye: {
    name: NAME, cable: ref("Cable", "cable", "The cable that slides through."), at: place("Place", "A first guess along the cable."),
    ...POSE,
    on: ref("Fastened to", "anchor", "Part, junction, clip or bead; free: held by the cables that end in it. Else the world."),
    friction: q("Friction µ", "number", "0 slides freely."),
    radius: q("Radius", "length", "Makes it a pulley: radius to the centre of the cable."),
    axle: v("Axle", "number", "Of a pulley; the cable goes round it by the right hand."),
    turns: q("Turns", "number", "Of a pulley: full turns more."),
  },
  bead: {
    name: NAME, cable: ref("Cable", "cable", "The cable it slides on."), at: place("Place", "A first guess along the cable."),
    mass: q("Mass", "mass", "Above zero."), radius: q("Radius", "length", "Above zero."),
    friction: q("Friction µ", "number", "On the cable."), inertia: v("Inertia", "inertia", "As for a part."),
  },
  load: {
    name: NAME, cable: ref("Cable", "cable", "The cable it acts on."), at: place("Place", "Along the cable, for a force at one place."),
    force: v("Force", "force", "At the place."), moment: v("Moment", "moment", "At the place."),
    axes: c("Axes", ["world", "material"], "World: the direction stays. Material: it turns with the cable."),
    from: place("From", "Beginning of the stretch, for a force per length."), to: place("To", "End of the stretch."),
    force_per_length: v("Force per length", "force_per_length", "Along the stretch."),
    moment_per_length: v("Moment per length", "moment_per_length", "Along the stretch."),
  },
  constraint: {
    name: NAME,
    kind: text("Kind", "What it keeps."),
    point: ref("Point", "anchor", "What is kept on the plane, line, circle or path."),
    from: ref("From", "anchor", "One of the two."), to: ref("To", "anchor", "The other; without it, the world."),
    through: v("Through", "length", "A point of the plane or line."), normal: v("Normal", "number", "Of the plane."),
    side: c("Side", ["above", "below"], "One-sided: it only does not pass the plane."),
    direction: v("Direction", "number", "Of the line."), centre: v("Centre", "length", "Of the circle."),
    axis: v("Axis", "number", "Of the circle, or of a turn."), radius: q("Radius", "length", "Of the circle."),
    points: raw("Points", "Of the path, in order."), closed: flag("Closed path", "It returns to where it begins."),
    distance: q("Distance", "length", "Between the two."),
    sense: c("Sense", ["equal", "at most", "at least"], "Of a distance."),
    from_direction: v("Direction of from", "number", "In its own axes."), to_direction: v("Direction of to", "number", "In its own axes."),
    angle: q("Angle", "angle", "With an axis."), on: ref("Goes with", "anchor", "Its geometry is in the axes of that."),
  },
  motion: {
    target: ref("Target", "anchor", "What is taken in hand."), by: v("By", "length", "Goes straight, by so much."),
    points: raw("Points", "Goes on a smooth path through these."), closed: flag("Closed path", "It returns to where it was."),
    turn: q("Turn", "angle", "By which it turns about the axis."), axis: v("Axis", "number", "Direction of the world, through its origin."),
    start: q("Begins at", "time", "When it begins."), duration: q("Duration", "time", "How long it takes."),
  },
  pole: {
    name: NAME, through: v("Through", "length", "A point of its axis."), axis: v("Axis", "number", "The way it runs; it has no ends."),
    radius: q("Radius", "length", "Of its surface."), friction: q("Friction µ", "number", "Coulomb's coefficient of cables on it."),
  },
  obstacle: {
    fingerprint: raw("Fingerprint", "Of its triangles when the scene was saved: a mesh that was changed since is told."), name: NAME, shape: c("Shape", ["plane", "sphere", "cylinder", "capsule", "box", "tube"], "A tube is endless, with cables inside; a plane is solid below."),
    radius: q("Radius", "length", "Of the outside; of a tube, of its bore."), length: q("Length", "length", "Of a bar; without it, endless."),
    size: v("Size", "length", "Of a box: its whole lengths."), mesh: text("Mesh", "A file beside the scene: STL, OBJ, PLY, glTF, Open Inventor or VRML."),
    unit: c("Unit", ["m", "dm", "cm", "mm", "in", "ft"], "What one unit of the mesh is."), up_axis: c("Up", ["y", "z"], "The axis of the mesh that points up."),
    on: text("On", "A part that is held, which it goes with; its pose is in the axes of that."),
    position: v("Position", "length", "Where its origin is."), tangent: v("Axis", "number", "Where its own z points."), up: v("Up", "number", "Where its own x leans to."),
    friction: q("Friction µ", "number", "Coulomb's coefficient of cables on it."),
  },
  bundle: {
    name: NAME, wire: raw("Wires", 'Each with count, diameter, and gauge, material, or bend and twist: [{"count": 12, "gauge": "0.5 mm^2", "diameter": "1.6 mm"}].'),
    fill: q("Fill", "number", "How full of wires the circle around them is."), bond: q("Bond", "number", "Where between loose (0) and bonded (1) its stiffness is taken, on a logarithmic scale."),
    diameter: q("Diameter", "length", "Of the outside as measured, instead of that of packed wires."),
    "tape.thickness": q("Tape: thickness", "length", "Of all layers together."), "tape.material": text("Tape: material", "Name of the library."),
    "tape.mass_per_length": q("Tape: mass per length", "mass_per_length", "Computed where it is not given."),
    "conduit.outer_diameter": q("Conduit: outer diameter", "length", "Of a tube around the wires, which lie loose in it."), "conduit.inner_diameter": q("Conduit: inner diameter", "length", "Of its bore."),
    "conduit.wall": q("Conduit: wall", "length", "Less than half the difference of the diameters where it is corrugated."), "conduit.slit": flag("Conduit: slit", "It hardly resists twist."),
    "conduit.material": text("Conduit: material", "Name of the library."), "conduit.bend": q("Conduit: bending stiffness", "stiffness", "As measured, with twist."),
    "conduit.twist": q("Conduit: twisting stiffness", "stiffness", "As measured, with bend."), "conduit.mass_per_length": q("Conduit: mass per length", "mass_per_length", "Computed where it is not given."),
  },
  scene: { title: text("Title", "A line for headings."), description: text("Description", "What the scene shows.") },
  world: { gravity: raw("Gravity", '[0, 0, -9.81] in m/s², "standard" or "none".'), contact: flag("Cables touch each other", "And themselves. In scenes with obstacles they do unless this says no.") },
  solve: {
    method: c("Method", ["newton", "integral-forces"], "Integral forces: the dissertation's scheme, for one cable."),
    alpha: q("Alpha", "number", "Of integral forces: integral to proportional constant."),
    tolerance: q("Tolerance", "number", "Residual force relative to the largest force."),
    iterations: q("Iterations", "number", "Most iterations of one attempt."),
    stability: flag("Judge stability", "Is the equilibrium stable?"),
    seek_stable: flag("Seek a stable state", "Go on to the nearest stable state."),
  },
};

/** What a key means. */
export function keyOf(kind: string, path: string): Key {
  const table = KEYS[kind === "pulley" ? "eye" : kind];
  return table?.[path] ?? raw(path.replaceAll("_", " "), "As it stands in the scene file.");
}

/** Tables within a table; those of lists are edited as they stand. */
const INNER = ["section", "measured", "override", "limits", "route", "tape", "conduit"];

export interface Row {
  path: string;
  key: Key;
  value: unknown;
  set: boolean;
}

/** Every key that a table has or may have, inner tables spelled out: what is set comes first, each as in the file. */
export function rows(table: TableView, scene: Pick<SceneView, "keys" | "constraints">): Row[] {
  const allowed = scene.keys[table.kind] ?? [];
  const values = new Map<string, unknown>();
  for (const [key, value] of Object.entries(table.keys)) {
    if (INNER.includes(key) && isTable(value)) {
      for (const [inner, each] of Object.entries(value)) values.set(`${key}.${inner}`, each);
    } else values.set(key, value);
  }
  const known = Object.keys(KEYS[table.kind] ?? {});
  // Of a constraint only what its kind takes.
  const kinds = table.kind === "constraint" ? scene.constraints : [];
  const own = kinds.find((one) => one.kind === table.keys["kind"])?.keys;
  const paths = allowed.filter((key) => !own || own.includes(key) || key === "kind" || key === "name").flatMap((key) => {
    const inner = INNER.includes(key) ? known.filter((path) => path.startsWith(`${key}.`)) : [];
    return inner.length > 0 ? inner : [key];
  });
  const all = new Set([...values.keys(), ...paths]);
  const meaning = (path: string): Key => {
    const key = keyOf(table.kind, path);
    return path === "kind" && kinds.length > 0 ? c(key.label, kinds.map((one) => one.kind), key.hint) : key;
  };
  return [...all].map((path) => ({ path, key: meaning(path), value: values.get(path), set: values.has(path) }));
}

export function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Kinds of which a scene has one at most: they need no name. */
const ONLY = ["scene", "world", "solve", "start", "end"];

/** The kind of its table: a pulley is an eye there. */
export function tableKind(kind: Kind | "pulley"): Kind {
  return kind === "pulley" ? "eye" : kind;
}

const isQuantity = (value: unknown): value is Quantity => typeof value === "number" || typeof value === "string";
const isHold = (value: unknown): value is HandleHold => HOLDS.some((word) => word === value);
const isPosition = (value: unknown): value is [Quantity, Quantity, Quantity] =>
  Array.isArray(value) && value.length === 3 && value.every(isQuantity);

/** The command that changes one key: the kindest one there is, so that what belongs together stays so. */
export function setCommand(kind: Kind | "pulley", name: string, path: string, value: unknown): Command {
  const it = tableKind(kind);
  if (path === "name" && typeof value === "string") return { do: "rename", name, to: value, ...(["cable", "pole", "obstacle", "bundle"].includes(it) ? { kind: it } : {}) };
  if (it === "cable" && path === "length" && isQuantity(value)) return { do: "set-length", cable: name, length: value };
  if (it === "clip" && path === "hold" && (value === null || isHold(value))) return { do: "set-handle", name, hold: value ?? undefined };
  if (path === "position" && isPosition(value) && ["port", "part", "clip", "bead", "start", "end", "obstacle"].includes(it)) {
    return { do: "move", name, to: value };
  }
  return { do: "set", kind: it, ...(ONLY.includes(it) ? {} : { name }), key: path, value };
}
