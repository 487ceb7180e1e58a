// What holds cables, drawn by kind: ports as flanges, clips as collars, parts as boxes with plugs, eyes as rings, pulleys
// as wheels, beads and junctions as balls. Things of one shape are one draw call.

import * as THREE from "three";
import { RoundedBoxGeometry } from "three/addons/geometries/RoundedBoxGeometry.js";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import { toSi } from "../panels/units";
import type { Frame } from "../frame";
import type { SceneView, Thing, Vector } from "../protocol";
import type { Shape } from "./shape";

type Form = "flange" | "clamp" | "pin" | "loop" | "box" | "plug" | "ball" | "ring" | "wheel" | "none";

/** A thing as it is drawn. */
export interface Drawn {
  thing: Thing;
  form: Form;
  slot: number;
  /** Half extents in its own axes, m. */
  half: THREE.Vector3;
  scale: THREE.Vector3;
  colour: THREE.Color;
  position: THREE.Vector3;
  turn: THREE.Quaternion;
  /** From the axes of the pose to those of the shape. */
  fix: THREE.Quaternion | null;
  /** Of an eye that a rope bends at: where its sheave lies from it, and how that is turned. */
  inside: THREE.Vector3 | null;
  axle: THREE.Quaternion | null;
}

const COLOURS: Record<Form, number> = {
  flange: 0x9fb0c0,
  clamp: 0xe8a33d,
  pin: 0xe6cc5c,
  loop: 0x8fa0b0,
  box: 0x8ba3bd,
  plug: 0x566779,
  ball: 0xb8c4cf,
  ring: 0xb795ea,
  wheel: 0xa7b2bd,
  none: 0xffffff,
};

/** Shapes of unit size about the z axis, the direction of the cable; a wheel has its axle there. */
function geometries(): Record<Exclude<Form, "none">, THREE.BufferGeometry> {
  const cylinder = (radius: number, length: number, shift = 0, inner = 0) => {
    if (inner > 0) {
      const profile = [
        new THREE.Vector2(inner, -length / 2), new THREE.Vector2(radius, -length / 2),
        new THREE.Vector2(radius, length / 2), new THREE.Vector2(inner, length / 2), new THREE.Vector2(inner, -length / 2),
      ];
      return new THREE.LatheGeometry(profile, 28).rotateX(Math.PI / 2).translate(0, 0, shift).toNonIndexed();
    }
    return new THREE.CylinderGeometry(radius, radius, length, 28).rotateX(Math.PI / 2).translate(0, 0, shift).toNonIndexed();
  };
  const join = (...parts: THREE.BufferGeometry[]) => {
    const whole = mergeGeometries(parts.map((part) => (part.index ? part.toNonIndexed() : part)));
    whole.computeVertexNormals();
    return whole;
  };
  return {
    flange: join(
      cylinder(1.5, 2.6, 0, 1.02),
      new THREE.CylinderGeometry(2.3, 2.3, 0.8, 6).rotateX(Math.PI / 2),
    ),
    clamp: join(cylinder(1.7, 1.5, 0, 1.02), new THREE.BoxGeometry(1.3, 1.2, 1.5).translate(0, -2.0, 0)),
    pin: new THREE.TorusGeometry(1.5, 0.5, 12, 32),
    loop: new THREE.TorusGeometry(1.45, 0.22, 8, 32),
    box: new RoundedBoxGeometry(2, 2, 2, 3, 0.12),
    plug: join(new THREE.BoxGeometry(3.4, 3.4, 3.2), cylinder(1.35, 4.6)),
    ball: new THREE.SphereGeometry(1, 24, 16),
    ring: new THREE.TorusGeometry(1, 0.17, 12, 40),
    wheel: join(
      new THREE.TorusGeometry(1, 0.08, 10, 48).translate(0, 0, 0.09),
      new THREE.TorusGeometry(1, 0.08, 10, 48).translate(0, 0, -0.09),
      cylinder(0.97, 0.1),
      cylinder(0.16, 0.5),
    ),
  };
}

function formOf(thing: Thing): Form {
  switch (thing.kind) {
    case "port":
    case "start":
    case "end":
      return "flange";
    case "clip":
      return thing.hold === "clamped" ? "clamp" : thing.hold === "pinned" ? "pin" : "loop";
    case "part":
      return "box";
    case "connector":
      return "plug";
    case "junction":
    case "bead":
      return "ball";
    case "eye":
      return thing.radius ? "wheel" : "ring";
    case "pulley":
      return "wheel";
    case "obstacle":
      // Drawn as what it is, by the obstacles.
      return "none";
  }
}

/** What a part without any other size is taken to be made of, kg/m³. */
const DENSITY = 2500;
/** From this angle on a rope that is led by an eye lies on a sheave there, rad. */
const TURNS = 0.5;

export class Things {
  readonly group = new THREE.Group();
  drawn: Drawn[] = [];
  private readonly shapes = geometries();
  private readonly material = new THREE.MeshPhongMaterial({ shininess: 40, specular: 0x222222, side: THREE.DoubleSide });
  private readonly seeThrough = new THREE.MeshPhongMaterial({
    shininess: 30, specular: 0x222222, transparent: true, opacity: 0.62, depthWrite: false,
  });
  private meshes = new Map<Form, THREE.InstancedMesh>();
  private layout = "";

  constructor(private readonly shape: Shape) {}

  setScene(scene: SceneView, size: number): void {
    this.drawn = scene.things.filter((thing) => thing.anchor !== null).map((thing) => this.prepare(scene, thing, size));
    const counts = new Map<Form, number>();
    for (const one of this.drawn) {
      one.slot = counts.get(one.form) ?? 0;
      counts.set(one.form, one.slot + 1);
    }
    const layout = JSON.stringify([...counts]);
    if (layout === this.layout) return;
    this.layout = layout;
    for (const mesh of this.meshes.values()) {
      this.group.remove(mesh);
      mesh.dispose();
    }
    this.meshes.clear();
    for (const [form, count] of counts) {
      if (form === "none") continue;
      const mesh = new THREE.InstancedMesh(this.shapes[form], form === "box" ? this.seeThrough : this.material, count);
      mesh.frustumCulled = false;
      mesh.setColorAt(0, new THREE.Color(1, 1, 1));
      this.meshes.set(form, mesh);
      this.group.add(mesh);
    }
  }

  private prepare(scene: SceneView, thing: Thing, size: number): Drawn {
    const turned = formOf(thing) === "ring" ? this.turnAt(thing) : null;
    const form = turned ? "wheel" : formOf(thing);
    const held = scene.cables.filter(
      (cable) => cable.name === thing.cable || cable.from === thing.name || cable.to === thing.name || scene.single,
    );
    const radius = Math.max(held.reduce((most, cable) => Math.max(most, cable.radius), 0), 0.0045 * size);
    const scale = new THREE.Vector3().setScalar(radius);
    let fix: THREE.Quaternion | null = null;
    if (form === "none") scale.setScalar(0);
    else if (form === "box") scale.copy(this.boxOf(scene, thing, radius, size));
    else if (form === "ring") scale.setScalar(Math.max(2.1 * radius, 0.009 * size));
    else if (form === "ball") scale.setScalar(thing.radius ?? 1.5 * radius);
    else if (form === "wheel") {
      scale.setScalar(thing.radius ?? Math.max(2.4 * radius, 0.014 * size));
      fix = axleOf(scene, thing);
    }
    // A little wheel within the bend of the rope: what leads it there.
    const inside = turned ? turned.inside.multiplyScalar(scale.x) : null;
    const half = scale.clone();
    if (form === "flange" || form === "clamp" || form === "pin" || form === "plug") half.multiplyScalar(2);
    return {
      thing, form, slot: 0, half, scale, colour: new THREE.Color(COLOURS[form]), position: new THREE.Vector3(),
      turn: new THREE.Quaternion(), fix, inside, axle: turned?.axle ?? null,
    };
  }

  /** How a rope bends at an eye: about which axle, and where the inside of the bend is; `null` where it goes on almost straight. */
  private turnAt(thing: Thing): { axle: THREE.Quaternion; inside: THREE.Vector3 } | null {
    const cable = thing.cable ? this.shape.cable(thing.cable) : undefined;
    if (!cable || thing.at === null) return null;
    const [before, at, after] = [-0.02, 0, 0.02].map((share) => {
      const place = new THREE.Vector3();
      this.shape.station(cable, Math.min(Math.max((thing.at as number) + share * cable.length, 0), cable.length), place);
      return place;
    }) as [THREE.Vector3, THREE.Vector3, THREE.Vector3];
    const [come, go] = [at.clone().sub(before).normalize(), after.clone().sub(at).normalize()];
    if (come.angleTo(go) < TURNS || come.lengthSq() === 0 || go.lengthSq() === 0) return null;
    const axle = new THREE.Vector3().crossVectors(come, go);
    // A rope that comes back the way it came bends about any axle square to it.
    if (axle.lengthSq() < 1e-6) axle.set(0, 1, 0).addScaledVector(come, -come.y);
    return {
      axle: new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), axle.normalize()), inside: go.sub(come).normalize(),
    };
  }

  /** A part is as large as its inertia says or its plugs are apart; else as what weighs so much may be. */
  private boxOf(scene: SceneView, part: Thing, radius: number, size: number): THREE.Vector3 {
    const half = new THREE.Vector3();
    const table = scene.tables.find((one) => one.kind === "part" && one.name === part.name);
    const inertia = Array.isArray(table?.keys["inertia"]) ? table.keys["inertia"].map(toSi) : [];
    const [x, y, z] = inertia;
    if (part.mass > 0 && typeof x === "number" && typeof y === "number" && typeof z === "number") {
      // Of a box: I_x = m (b² + c²)/3 with its half sides.
      const side = (own: number, one: number, other: number): number => Math.sqrt(Math.max((1.5 * (one + other - own)) / part.mass, 0));
      return half.set(side(x, y, z), side(y, z, x), side(z, x, y)).max(new THREE.Vector3().setScalar(1.5 * radius));
    }
    const frame = this.shape.frame;
    if (frame && part.anchor !== null) {
      const pose = poseOf(frame, part.anchor, new THREE.Vector3(), new THREE.Quaternion());
      const back = pose.turn.clone().invert();
      for (const other of scene.things) {
        if (other.kind !== "connector" || other.anchor === null || !other.name.startsWith(`${part.name}.`)) continue;
        const at = new THREE.Vector3().fromArray(frame.anchors, other.anchor * 8).sub(pose.position).applyQuaternion(back);
        half.max(at.set(Math.abs(at.x), Math.abs(at.y), Math.abs(at.z)));
      }
    }
    const most = Math.max(half.x, half.y, half.z);
    const weighs = Math.min(Math.max(0.5 * Math.cbrt(part.mass / DENSITY), 0.012 * size), 0.07 * size);
    const least = most > 0 ? Math.min(0.42 * most, Math.max(0.03 * size, 3 * radius)) : weighs;
    return half.max(new THREE.Vector3().setScalar(Math.max(least, 2 * radius)));
  }

  /** Moves everything to where a frame has it. */
  setFrame(frame: Frame): void {
    for (const one of this.drawn) {
      const anchor = one.thing.anchor as number;
      if (anchor >= frame.poses) continue;
      poseOf(frame, anchor, one.position, one.turn);
      // A clip that turns freely sits square on its cable.
      const cable = one.thing.cable ? this.shape.cable(one.thing.cable) : undefined;
      if (cable && one.thing.at !== null && (one.form === "pin" || one.form === "loop" || one.form === "ring")) {
        this.shape.station(cable, one.thing.at, V, one.turn);
      }
      Q.copy(one.axle ?? one.turn);
      if (one.fix && !one.axle) Q.multiply(one.fix);
      V.copy(one.position);
      if (one.inside) V.add(one.inside);
      const mesh = this.meshes.get(one.form);
      mesh?.setMatrixAt(one.slot, M.compose(V, Q, one.scale));
    }
    for (const mesh of this.meshes.values()) mesh.instanceMatrix.needsUpdate = true;
  }

  /** Colours what is under the pointer or selected; takes away what is hidden. */
  setShown(hidden: ReadonlySet<string>, hovered: string | null, selected: string | null, accent: THREE.Color): void {
    for (const one of this.drawn) {
      const mesh = this.meshes.get(one.form);
      if (!mesh) continue;
      C.copy(one.colour);
      if (one.thing.name === selected) C.copy(accent);
      else if (one.thing.name === hovered) C.lerp(WHITE, 0.45);
      mesh.setColorAt(one.slot, C);
      if (hidden.has(one.thing.name)) mesh.setMatrixAt(one.slot, M.makeScale(0, 0, 0));
    }
    for (const mesh of this.meshes.values()) {
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  find(name: string): Drawn | undefined {
    return this.drawn.find((one) => one.thing.name === name);
  }

  /** The thing a ray meets first, each at least a few pixels wide. */
  hit(ray: THREE.Ray, hidden: ReadonlySet<string>, slack: { constant: number; perDistance: number }):
    { one: Drawn; distance: number; position: THREE.Vector3 } | null {
    let best: { one: Drawn; distance: number; position: THREE.Vector3 } | null = null;
    for (const one of this.drawn) {
      if (one.form === "none" || hidden.has(one.thing.name)) continue;
      const along = V.copy(one.position).sub(ray.origin).dot(ray.direction);
      if (along <= 0) continue;
      let distance: number | null = null;
      const reach = slack.constant + slack.perDistance * along;
      if (one.form === "box") {
        const local = LOCAL.copy(ray);
        local.origin.sub(one.position).applyQuaternion(Q.copy(one.turn).invert());
        local.direction.applyQuaternion(Q);
        BOX.min.copy(one.half).negate();
        BOX.max.copy(one.half);
        BOX.expandByScalar(0.3 * reach);
        const met = local.intersectBox(BOX, W);
        if (met) distance = met.distanceTo(local.origin);
      } else {
        const size = Math.max(one.half.x, reach);
        if (ray.distanceSqToPoint(one.position) < size * size) distance = along - Math.min(one.half.x, along);
      }
      if (distance !== null && (!best || distance < best.distance)) {
        best = { one, distance, position: one.position.clone() };
      }
    }
    return best;
  }

  near(point: THREE.Vector3, hidden: ReadonlySet<string>, reach: number): { one: Drawn; distance: number } | null {
    let best: { one: Drawn; distance: number } | null = null;
    for (const one of this.drawn) {
      if (one.form === "none" || hidden.has(one.thing.name)) continue;
      const distance = Math.max(one.position.distanceTo(point) - one.half.x, 0);
      if (distance < (best?.distance ?? reach)) best = { one, distance };
    }
    return best;
  }
}

function poseOf(frame: Frame, anchor: number, position: THREE.Vector3, turn: THREE.Quaternion) {
  position.fromArray(frame.anchors, anchor * 8);
  turn.fromArray(frame.anchors, anchor * 8 + 4);
  if (turn.lengthSq() < 0.5) turn.identity();
  return { position, turn };
}

/** The axle stands in the file; the wheel's own is z. */
function axleOf(scene: SceneView, thing: Thing): THREE.Quaternion | null {
  const axle = scene.tables.find((one) => one.name === thing.name && "axle" in one.keys)?.keys["axle"] as Vector | undefined;
  if (!Array.isArray(axle) || axle.some((x) => typeof x !== "number")) return null;
  return new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), new THREE.Vector3().fromArray(axle).normalize());
}

const V = new THREE.Vector3();
const W = new THREE.Vector3();
const Q = new THREE.Quaternion();
const M = new THREE.Matrix4();
const C = new THREE.Color();
const WHITE = new THREE.Color(1, 1, 1);
const LOCAL = new THREE.Ray();
const BOX = new THREE.Box3();
