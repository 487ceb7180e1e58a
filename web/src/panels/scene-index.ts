// Questions about a scene that several panels ask.

import type { App, Selection } from "../app";
import type { Cable, Finding, SceneView, TableView, Thing, Trailer, Vector } from "../protocol";

export function cableNamed(scene: SceneView | null, name: string): Cable | null {
  return scene?.cables.find((cable) => cable.name === name) ?? null;
}

export function thingNamed(scene: SceneView | null, name: string): Thing | null {
  return scene?.things.find((thing) => thing.name === name) ?? null;
}

/** The table of the file that describes something; the one at most of some kinds has no name. */
export function tableOf(scene: SceneView | null, kind: string, name: string): TableView | null {
  const it = kind === "pulley" ? "eye" : kind;
  const found = scene?.tables.find((table) => table.kind === it && table.name === name);
  if (found) return found;
  if (["cable", "start", "end", "world", "solve", "scene"].includes(it)) {
    const only = scene?.tables.filter((table) => table.kind === it) ?? [];
    if (only.length === 1) return only[0] ?? null;
  }
  return null;
}

/** Everything that a cable may begin or end in. */
export function anchorNames(scene: SceneView | null): string[] {
  return (scene?.things ?? []).filter((thing) => !["start", "end", "obstacle"].includes(thing.kind)).map((thing) => thing.name);
}

/** The cables that begin or end in something; of a part, in one of its connectors. */
export function cablesAt(scene: SceneView | null, name: string): Cable[] {
  const at = (end: string): boolean => end === name || end.startsWith(`${name}.`);
  return (scene?.cables ?? []).filter((cable) => at(cable.from) || at(cable.to));
}

/** What stands on a cable, in order. */
export function onCable(scene: SceneView | null, cable: string): Thing[] {
  return (scene?.things ?? [])
    .filter((thing) => thing.cable === cable && thing.kind !== "start" && thing.kind !== "end")
    .sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
}

/** Its cable, of a selection that has one. */
export function selectedCable(app: App): Cable | null {
  const selection = app.selection;
  if (!selection) return app.scene?.cables.length === 1 ? (app.scene.cables[0] ?? null) : null;
  if ("cable" in selection) return cableNamed(app.scene, selection.cable);
  const thing = thingNamed(app.scene, selection.thing);
  if (thing?.cable) return cableNamed(app.scene, thing.cable);
  return cablesAt(app.scene, selection.thing)[0] ?? null;
}

/** Is the selected thing still there? */
export function stillThere(scene: SceneView, selection: Selection): boolean {
  if (!selection) return true;
  if ("cable" in selection) return cableNamed(scene, selection.cable) !== null;
  return thingNamed(scene, selection.thing) !== null || tableOf(scene, selection.kind, selection.thing) !== null;
}

/** The worst verdict about a cable; what has no limit has none. */
export function verdictOf(findings: readonly Finding[], cable: string): Exclude<Finding["verdict"], "no_limit"> {
  const own = findings.filter((finding) => finding.cable === cable).map(({ verdict }) => verdict);
  return own.includes("fail") ? "fail" : own.includes("warn") ? "warn" : "pass";
}

/** The stretch of a cable that lacks most. */
export function worst(trailer: Trailer | undefined, cable: string): Trailer["short"][number] | undefined {
  const own = (trailer?.short ?? []).filter((each) => each.cable === cable);
  return own.sort((a, b) => b.missing - a.missing)[0];
}

/** What a cable lacks, m; zero where it is long enough. */
export function missing(trailer: Trailer | undefined, cable: string): number {
  return worst(trailer, cable)?.missing ?? 0;
}

/** A name that nothing has yet: `cable 2`. */
export function freshName(scene: SceneView | null, base: string): string {
  const taken = new Set([...(scene?.things ?? []), ...(scene?.cables ?? []), ...(scene?.poles ?? [])].map((each) => each.name));
  if (!taken.has(base)) return base;
  for (let number = 2; ; number++) {
    if (!taken.has(`${base} ${number}`)) return `${base} ${number}`;
  }
}

/** Where the nodes of a cable pass an arc length: the position in the newest frame. */
export function positionAt(app: App, cable: Cable, s: number): Vector | null {
  const frame = app.frame;
  if (!frame || frame.revision !== app.scene?.revision) return null;
  const { points } = frame;
  const arc = (node: number): number => points[4 * node + 3] ?? 0;
  let node = cable.first;
  const last = cable.first + cable.count - 1;
  while (node < last - 1 && arc(node + 1) < s) node++;
  const span = arc(node + 1) - arc(node);
  const share = span > 0 ? Math.min(1, Math.max(0, (s - arc(node)) / span)) : 0;
  const mix = (axis: number): number =>
    (points[4 * node + axis] ?? 0) * (1 - share) + (points[4 * node + 4 + axis] ?? 0) * share;
  return [mix(0), mix(1), mix(2)];
}

/** Where a thing is in the newest frame. */
export function positionOf(app: App, thing: Thing): Vector | null {
  const frame = app.frame;
  if (!frame || thing.anchor === null || frame.revision !== app.scene?.revision) return null;
  const at = 8 * thing.anchor;
  const [x, y, z] = frame.anchors.subarray(at, at + 3);
  return x === undefined || y === undefined || z === undefined ? null : [x, y, z];
}
