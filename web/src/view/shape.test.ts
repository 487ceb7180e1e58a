import * as THREE from "three";
import { beforeEach, describe, expect, it } from "vitest";
import type { Frame } from "../frame";
import type { SceneView } from "../protocol";
import { Shape } from "./shape";

const NODES = 61;
const LENGTH = 0.6;
const NONE: ReadonlySet<string> = new Set();

/** A helix about z: radius 50 mm, one and a half turns. */
function helix(s: number, shift: number): { position: THREE.Vector3; tangent: THREE.Vector3 } {
  const radius = 0.05;
  const turn = (3 * Math.PI) / LENGTH;
  const rise = Math.sqrt(1 - (radius * turn) ** 2);
  const angle = turn * s;
  return {
    position: new THREE.Vector3(radius * Math.cos(angle) + shift, radius * Math.sin(angle), rise * s),
    tangent: new THREE.Vector3(-radius * turn * Math.sin(angle), radius * turn * Math.cos(angle), rise),
  };
}

/** Two helices side by side, each as a frame of the server has them. */
function shapeOfTwo(): Shape {
  const points = new Float32Array(2 * NODES * 4);
  const frames = new Float32Array(2 * NODES * 4);
  for (let cable = 0; cable < 2; cable++) {
    for (let i = 0; i < NODES; i++) {
      const s = (LENGTH * i) / (NODES - 1);
      const { position, tangent } = helix(s, 0.2 * cable);
      const k = (cable * NODES + i) * 4;
      points.set([...position.toArray(), s], k);
      const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), tangent);
      // A frame and its negative are the same attitude: some servers and some curves change sides.
      frames.set(i % 7 === 3 ? turn.toArray().map((x) => -x) : turn.toArray(), k);
    }
  }
  const shape = new Shape();
  const cables = ["left", "right"].map((name, index) => ({ name, radius: 0.004, first: index * NODES, count: NODES, length: LENGTH }));
  shape.scene = { revision: 1, cables } as unknown as SceneView;
  shape.frame = { revision: 1, nodes: 2 * NODES, poses: 0, points, frames } as unknown as Frame;
  return shape;
}

/** Numbers that look random and are the same every time. */
function random(): () => number {
  let seed = 12345;
  return () => ((seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648);
}

let shape: Shape;
beforeEach(() => (shape = shapeOfTwo()));

describe("station", () => {
  it("is the node at a node, and close to the curve between", () => {
    const cable = shape.cable("right");
    const at = new THREE.Vector3();
    const turn = new THREE.Quaternion();
    if (!cable) throw new Error("no cable");
    // The error of the cubic is h⁴κ³/384 or so, that of single precision 1e-8: both below a micrometre.
    for (let i = 0; i <= 240; i++) {
      const s = (LENGTH * i) / 240;
      expect(shape.station(cable, s, at, turn)).toBe(true);
      const exact = helix(s, 0.2);
      expect(at.distanceTo(exact.position)).toBeLessThan(1e-6);
      const tangent = new THREE.Vector3(0, 0, 1).applyQuaternion(turn);
      // Frames go the straight way between nodes: h²κ²/8 off at most.
      expect(tangent.angleTo(exact.tangent)).toBeLessThan(3e-3);
    }
  });

  it("stays on the cable beyond its ends", () => {
    const cable = shape.cable("left");
    if (!cable) throw new Error("no cable");
    const at = new THREE.Vector3();
    shape.station(cable, LENGTH + 1, at);
    expect(at.distanceTo(helix(LENGTH, 0).position)).toBeLessThan(1e-6);
  });
});

/** The nearest of many samples to a point, by plain search. */
function plainNear(point: THREE.Vector3): { cable: string; away: number } {
  let best = { cable: "", away: Infinity };
  for (let i = 0; i <= 6000; i++) {
    for (const [cable, shift] of [["left", 0], ["right", 0.2]] as const) {
      const away = helix((LENGTH * i) / 6000, shift).position.distanceTo(point);
      if (away < best.away) best = { cable, away };
    }
  }
  return best;
}

describe("near", () => {
  it("agrees with a plain search", () => {
    const next = random();
    for (let i = 0; i < 40; i++) {
      const point = new THREE.Vector3(0.4 * next() - 0.1, 0.2 * next() - 0.1, 0.5 * next());
      const found = shape.near(point, NONE, 10);
      const plain = plainNear(point);
      expect(found?.cable).toBe(plain.cable);
      // The chord between nodes is off by h²κ/8, about 0.2 mm.
      expect(Math.abs((found?.position.distanceTo(point) ?? 0) - plain.away)).toBeLessThan(3e-4);
    }
  });

  it("finds nothing out of reach, nor what is hidden", () => {
    expect(shape.near(new THREE.Vector3(5, 5, 5), NONE, 0.1)).toBeNull();
    const on = helix(0.3, 0).position;
    expect(shape.near(on, NONE, 0.02)?.cable).toBe("left");
    expect(shape.near(on, new Set(["left"]), 0.02)).toBeNull();
  });
});

describe("hit", () => {
  const exact = { constant: 0, perDistance: 0 };

  it("meets the cable that is aimed at, at the place that is aimed at", () => {
    const next = random();
    for (let i = 0; i < 60; i++) {
      const s = LENGTH * (0.02 + 0.96 * next());
      const aim = helix(s, 0.2).position;
      // From the outside of the right helix: nothing is before the half that faces the eye.
      const origin = new THREE.Vector3(0.2, 0, 0).add(aim.clone().sub(new THREE.Vector3(0.2, 0, 0)).multiplyScalar(20));
      const ray = new THREE.Ray(origin, aim.clone().sub(origin).normalize());
      const found = shape.hit(ray, new Set(["left"]), exact);
      expect(found?.cable).toBe("right");
      expect(found?.position.distanceTo(aim)).toBeLessThan(0.006);
    }
  });

  it("takes the front one of two", () => {
    const left = helix(0.3, 0).position;
    const ray = new THREE.Ray(left.clone().add(new THREE.Vector3(-1, 0, 0)), new THREE.Vector3(1, 0, 0));
    expect(shape.hit(ray, NONE, exact)?.cable).toBe("left");
    const behind = new THREE.Ray(left.clone().add(new THREE.Vector3(1, 0, 0)), new THREE.Vector3(-1, 0, 0));
    expect(shape.hit(behind, NONE, exact)?.cable).toBe("right");
  });

  it("misses beside, behind, and what another scene had", () => {
    const aim = helix(0.3, 0).position;
    const up = new THREE.Vector3(0, 1, 0);
    const beside = new THREE.Ray(aim.clone().add(new THREE.Vector3(0.05, -1, 0.1)), up);
    expect(shape.hit(beside, new Set(["right"]), exact)).toBeNull();
    const away = new THREE.Ray(aim.clone().add(new THREE.Vector3(0, 0.5, 0)), up);
    expect(shape.hit(away, NONE, exact)).toBeNull();
    const ray = new THREE.Ray(aim.clone().add(new THREE.Vector3(0, -1, 0)), up);
    expect(shape.hit(ray, NONE, exact)).not.toBeNull();
    if (shape.scene) shape.scene.revision = 2;
    expect(shape.hit(ray, NONE, exact)).toBeNull();
  });
});
