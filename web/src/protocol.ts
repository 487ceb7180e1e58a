// What page and server say to each other: crates/flexline-server/PROTOCOL.md in types.

export type Vector = [number, number, number];
export type Quaternion = [number, number, number, number];

export interface Cable {
  name: string;
  part: string | null;
  kind: string;
  model: "mixed" | "nodal" | "helix" | "clothoid" | "spline";
  length: number;
  resolution: number;
  from: string;
  to: string;
  radius: number;
  /** Turn of the far end, rad. */
  twist: number;
  routed: boolean;
  use: string;
  /** The bend limit that counts here. */
  bend_limit: BendLimit | null;
  max_tension: number | null;
  /** rad/m, either way. */
  max_twist: number | null;
  /** Stiffnesses at the beginning, N m². */
  bend: number;
  torsion: number;
  /** Nodes of the cable in a frame. */
  first: number;
  count: number;
}

/** A smallest bend radius as the maker gives it. */
export interface BendLimit {
  /** m, where it is measured. */
  radius: number;
  reference: "centre" | "inner";
  use: "static" | "dynamic";
  /** The radius of the centreline that belongs to it, m. */
  centre_radius: number;
}

export type ThingKind =
  | "port" | "part" | "connector" | "junction" | "clip" | "eye" | "pulley" | "bead" | "start" | "end";

export interface Thing {
  kind: ThingKind;
  name: string;
  /** Index among the poses of a frame. */
  anchor: number | null;
  hold: "clamped" | "pinned" | "free";
  slides: [boolean, boolean, boolean];
  mass: number;
  cable: string | null;
  /** Arc length on its cable, m. */
  at: number | null;
  /** Of a pulley, an eye or a bead, m. */
  radius: number | null;
}

/** A round pole without ends that cables keep out of; metres, world. */
export interface Pole {
  name: string;
  through: Vector;
  axis: Vector;
  /** At which the centre of a cable touches it. */
  radius: number;
}

/** One table of the scene file. */
export interface TableView {
  kind: string;
  name: string;
  keys: Record<string, unknown>;
}

export interface MeshView {
  id: number;
  name: string;
  triangles: number;
  vertices: number;
}

export type Mode = "statics" | "dynamics" | "off";

export interface SceneView {
  revision: number;
  name: string;
  title: string;
  description: string | null;
  text: string;
  single: boolean;
  gravity: Vector;
  undo: number;
  redo: number;
  mode: Mode;
  playing: boolean;
  /** Frames recorded in motion. */
  recorded: number;
  cables: Cable[];
  things: Thing[];
  poles: Pole[];
  tables: TableView[];
  keys: Record<string, string[]>;
  /** The kinds of constraints, each with its keys beside name and kind. */
  constraints: { kind: string; keys: string[] }[];
  meshes: MeshView[];
}

export interface Finding {
  cable: string | null;
  rule: string;
  verdict: "no_limit" | "pass" | "warn" | "fail";
  /** JSON has no infinity: `null` where there is none. */
  value: number | null;
  limit: number | null;
  unit: string;
  utilisation: number | null;
  s: number;
  position: Vector;
  /** Of a bend radius: the use that the limit is for and where both are measured. */
  detail: string;
  message: string;
}

export interface Trailer {
  status: string;
  line: string;
  iterations: number;
  residual: number;
  violation: number;
  unstable: number;
  solve_ms: number;
  time: number | null;
  energy: { kinetic: number; elastic: number; potential: number; total: number; work: number; dissipated: number } | null;
  /** Stretches of cables that are too short, and the arc lengths between which they would have to be longer. */
  short: { cable: string; missing: number; between?: [number, number] }[];
  turns: number[];
  lengths: number[];
  stamps: Record<string, number>;
  preview: boolean;
  scrub: number | null;
}

/** Whether values along cables are known: in equilibrium, or in motion. */
export function isKnown(trailer: Pick<Trailer, "status" | "time">): boolean {
  return trailer.time !== null || trailer.status === "converged";
}

export interface Frame {
  revision: number;
  number: number;
  nodes: number;
  poses: number;
  /** Per node: x, y, z, s. */
  points: Float32Array;
  /** Per node: quaternion x, y, z, w. */
  frames: Float32Array;
  /** Per node: curvature, twist rate, tension, bending moment. */
  loads: Float32Array;
  /** Per pose: x, y, z, 0, quaternion x, y, z, w. */
  anchors: Float32Array;
  trailer: Trailer;
}

export interface Outcome {
  changes: string[];
  status: string | null;
}

export interface Grabbed {
  position: Vector;
  frame: Quaternion;
}

/** A command of the scene library: crates/flexline-scene/COMMANDS.md. */
export type Command = { do: string } & Record<string, unknown>;

export interface GalleryEntry {
  name: string;
  title: string;
  description: string;
  cables: number;
  tour: string | null;
}

export interface Material {
  name: string;
  title: string;
  kind: string;
  diameter: number;
  bend: number;
  twist: number;
  mass_per_length: number;
  bend_static: Pick<BendLimit, "radius" | "reference"> | null;
  bend_dynamic: Pick<BendLimit, "radius" | "reference"> | null;
  source: string;
}

const HEAD = 32;

/** Reads a binary message; `null` where it is no frame. */
export function decodeFrame(buffer: ArrayBuffer): Frame | null {
  if (buffer.byteLength < HEAD) return null;
  const head = new DataView(buffer);
  if (head.getUint32(0, false) !== 0x464c5831) return null;
  const [revision, number, nodes, poses, tail] = [4, 8, 12, 16, 20].map((at) => head.getUint32(at, true)) as
    [number, number, number, number, number];
  const end = HEAD + nodes * 48 + poses * 32;
  if (buffer.byteLength !== end + tail) return null;
  const floats = (at: number, count: number) => new Float32Array(buffer, at, count);
  const trailer = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, end, tail))) as Trailer;
  return {
    revision,
    number,
    nodes,
    poses,
    points: floats(HEAD, nodes * 4),
    frames: floats(HEAD + nodes * 16, nodes * 4),
    loads: floats(HEAD + nodes * 32, nodes * 4),
    anchors: floats(HEAD + nodes * 48, poses * 8),
    trailer,
  };
}
