import { describe, expect, it } from "vitest";
import { cable, finding, frame, scene, thing } from "../panels/fixture";
import { brakeHose } from "./brake-hose";
import { controlUnit } from "./control-unit";
import { TOURS } from "./index";
import { pull } from "./pull";
import { pushAside } from "./push-aside";
import { ring } from "./ring";
import { thread } from "./thread";
import type { Tour, TourState } from "./tour";

function state(more: Partial<TourState> = {}): TourState {
  const now = more.scene ?? scene();
  return { scene: now, before: now, frame: frame(), findings: [], selection: null, holding: false, did: [], ...more };
}

/** The detector of a step, by its title: a step that is renamed or lost fails here. */
function done(tour: Tour, title: string, at: TourState): boolean {
  const step = tour.steps.find((each) => each.title === title);
  if (!step?.done) throw new Error(`no step “${title}” that watches`);
  return step.done(at);
}

describe("tours", () => {
  it("begin with nothing done", () => {
    for (const tour of TOURS) for (const step of tour.steps) expect(step.done?.(state()) ?? false, `${tour.name}: ${step.title}`).toBe(false);
  });

  it("lay a brake hose", () => {
    const hose = (length: number) => scene({ single: true, cables: [cable("brake hose", { length })] });
    expect(done(brakeHose, "A hose and two ends", state({ selection: { cable: "brake hose" } }))).toBe(true);
    expect(done(brakeHose, "Take it in your hand", state({ holding: true }))).toBe(true);
    expect(done(brakeHose, "Select the caliper", state({ selection: { thing: "start", kind: "start" } }))).toBe(false);
    expect(done(brakeHose, "Select the caliper", state({ selection: { thing: "end", kind: "end" } }))).toBe(true);
    expect(done(brakeHose, "The wheel goes down", state({ did: [{ verb: "turn", changes: [] }] }))).toBe(false);
    expect(done(brakeHose, "The wheel goes down", state({ did: [{ verb: "move", changes: [] }] }))).toBe(true);
    expect(done(brakeHose, "Try another length", state({ scene: hose(0.4), before: hose(0.38) }))).toBe(true);
    expect(done(brakeHose, "Try another length", state({ scene: hose(0.38), before: hose(0.38) }))).toBe(false);
    expect(done(brakeHose, "Until the checks pass", state({ findings: [finding({ verdict: "fail" })] }))).toBe(false);
    expect(done(brakeHose, "Until the checks pass", state({ findings: [finding()], frame: frame({ status: "too_short" }) }))).toBe(false);
    expect(done(brakeHose, "Until the checks pass", state({ findings: [finding()] }))).toBe(true);
    expect(done(brakeHose, "Clip it", state({ scene: scene({ things: [thing("clip", "handle")] }) }))).toBe(true);
    expect(done(brakeHose, "Nothing is lost", state({ scene: scene({ redo: 1 }), before: scene() }))).toBe(true);
  });

  it("pull the control unit", () => {
    const short = frame({ status: "too_short", short: [{ cable: "front cable", missing: 0.03, between: [0, 0.5] }] });
    expect(done(controlUnit, "A unit on its cables", state({ selection: { thing: "unit", kind: "part" } }))).toBe(true);
    expect(done(controlUnit, "Pull", state({ holding: true }))).toBe(true);
    expect(done(controlUnit, "Until they are taut", state({ frame: frame({}, [0, 0, 0, 0], [0, 0, 20, 0]) }))).toBe(true);
    expect(done(controlUnit, "Until they are taut", state({ frame: short }))).toBe(true);
    expect(done(controlUnit, "How much is missing", state({ frame: short, holding: true }))).toBe(false);
    expect(done(controlUnit, "How much is missing", state({ frame: short }))).toBe(true);
    const longer = [{ verb: "set-length", changes: [] }];
    expect(done(controlUnit, "Give it the reserve", state({ frame: short, did: longer }))).toBe(false);
    expect(done(controlUnit, "Give it the reserve", state({ did: longer }))).toBe(true);
    expect(done(controlUnit, "Let it hang", state({ did: [{ verb: "release", changes: [] }] }))).toBe(true);
  });

  it("push a hose aside", () => {
    const press = (force: number) => frame({ contacts: [{ cable: "hose", by: "block", position: [0, 0, 0], force: [0, force, 0] }] as never });
    const moved = [{ verb: "move", changes: [] }];
    expect(done(pushAside, "A hose and a block", state({ selection: { thing: "block", kind: "obstacle" } }))).toBe(true);
    expect(done(pushAside, "Push", state({ frame: press(0.2) }))).toBe(false);
    expect(done(pushAside, "Push", state({ did: moved, frame: press(0.05) }))).toBe(false);
    expect(done(pushAside, "Push", state({ did: moved, frame: press(0.2) }))).toBe(true);
    expect(done(pushAside, "Hold it there", state({ scene: scene({ things: [thing("clip", "handle")] }), before: scene() }))).toBe(true);
    expect(done(pushAside, "Get the block out", state({ did: moved, frame: press(0.2) }))).toBe(false);
    expect(done(pushAside, "Get the block out", state({ did: moved, frame: press(0) }))).toBe(true);
  });

  it("thread a plug and pull a cable", () => {
    const moved = [{ verb: "move", changes: [] }];
    const touch = (by: string) => [{ cable: "cable", by, position: [0, 0, 0], force: [0, 1, 0] }] as never;
    const at = (name: string, x: number, z: number, by?: string): TourState => state({
      scene: scene({ things: [thing("port", "other"), thing("part", name, { anchor: 1 })] }), did: moved,
      frame: { ...frame({ contacts: by ? touch(by) : [] }), anchors: new Float32Array([0, 0, 0, 1, 0, 0, 0, 0, x, 0, z, 1, 0, 0, 0, 0]) },
    });
    expect(done(thread, "A plug before a plate", state({ selection: { thing: "plug", kind: "part" } }))).toBe(true);
    expect(done(thread, "Through the aperture", at("plug", -0.06, 0))).toBe(false);
    expect(done(thread, "Through the aperture", at("plug", 0.03, 0))).toBe(true);
    expect(done(thread, "Down behind the plate", at("plug", 0.03, -0.04))).toBe(false);
    expect(done(thread, "Down behind the plate", at("plug", 0.03, -0.04, "plate"))).toBe(true);
    expect(done(pull, "A cable in a conduit", state({ selection: { thing: "hand", kind: "port" } }))).toBe(true);
    expect(done(pull, "Pull", at("hand", 0.12, -0.3, "conduit"))).toBe(false);
    expect(done(pull, "Pull", at("hand", 0.12, -0.31, "conduit"))).toBe(true);
    const brake = { selection: { thing: "brake", kind: "port" } } as const;
    expect(done(pull, "Let the other end follow", { ...at("hand", 0.12, -0.31, "conduit"), ...brake })).toBe(true);
    expect(done(pull, "Let the other end follow", { ...at("hand", 0.12, -0.31), ...brake })).toBe(false);
  });

  it("twist a ring", () => {
    const twisted = (turns: number) => scene({ cables: [cable("piece 3", { twist: turns * 2 * Math.PI })] });
    const wound = (each: number) => frame({ turns: [each, each, each] });
    expect(done(ring, "A ring with a turn in it", state({ selection: { cable: "piece 1" } }))).toBe(false);
    expect(done(ring, "A ring with a turn in it", state({ selection: { cable: "piece 3" } }))).toBe(true);
    expect(done(ring, "One more turn", state({ scene: twisted(1) }))).toBe(false);
    expect(done(ring, "One more turn", state({ scene: twisted(2) }))).toBe(true);
    expect(done(ring, "Now it snaps", state({ scene: twisted(2.5), frame: wound(0.83) }))).toBe(false);
    expect(done(ring, "Now it snaps", state({ scene: twisted(2.5), frame: wound(0.17) }))).toBe(true);
    expect(done(ring, "And back", state({ scene: twisted(1), before: twisted(2.5) }))).toBe(true);
    expect(done(ring, "And back", state({ scene: twisted(2), before: twisted(2.5) }))).toBe(false);
  });
});
