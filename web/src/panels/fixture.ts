// A small scene for tests.

import type { Frame } from "../frame";
import type { Cable, Finding, SceneView, Thing, Trailer } from "../protocol";

export function cable(name: string, more: Partial<Cable> = {}): Cable {
  return {
    name, part: "wire-2.5", kind: "part", model: "mixed", length: 0.5, resolution: 30, from: "left", to: "right", radius: 0.0015, twist: 0, routed: false,
    use: "static", bend_limit: { radius: 0.02, reference: "centre", use: "static", centre_radius: 0.02 }, max_tension: null, max_twist: null, bend: 1e-3, torsion: 8e-4, first: 0, count: 3, ...more,
  };
}

export function thing(kind: Thing["kind"], name: string, more: Partial<Thing> = {}): Thing {
  return { kind, name, anchor: 0, hold: "clamped", slides: [false, false, false], mass: 0, cable: null, at: null, radius: null, ...more };
}

export function scene(more: Partial<SceneView> = {}): SceneView {
  return {
    revision: 1, name: "test", title: "Test", description: null, text: "", single: false, gravity: [0, 0, -9.81], undo: 0, redo: 0, mode: "statics",
    playing: false, recorded: 0, cables: [cable("trunk")], things: [thing("port", "left"), thing("port", "right")], poles: [], obstacles: [], tables: [], keys: {}, constraints: [], ...more,
  };
}

export function frame(trailer: Partial<Trailer> = {}, points: number[] = [], loads: number[] = []): Frame {
  return {
    revision: 1, number: 1, nodes: points.length / 4, poses: 0, points: new Float32Array(points), frames: new Float32Array(points.length),
    loads: new Float32Array(loads), anchors: new Float32Array(),
    trailer: {
      status: "converged", line: "", iterations: 3, residual: 0, violation: 0, unstable: 0, solve_ms: 1, time: null, energy: null, short: [], turns: [],
      lengths: [], contacts: [], clearance: null, stamps: {}, preview: false, scrub: null, ...trailer,
    },
  };
}

export function finding(more: Partial<Finding> = {}): Finding {
  return {
    cable: "trunk", rule: "bend_radius", verdict: "pass", value: 0.04, limit: 0.02, unit: "m", utilisation: 0.5, s: 0.1, position: [0, 0, 0], detail: "", message: "", ...more,
  };
}
