// In the headset the scene hangs before you like a model. A trigger or a pinch takes hold of the nearest thing or point of
// a cable; what the grip button takes stays where it is put. Both grips in empty space move, turn and scale the whole;
// sticks fly, turn and scale.

import * as THREE from "three";
import { XRHandModelFactory } from "three/addons/webxr/XRHandModelFactory.js";
import type { App } from "../../app";
import { Hand, type Hold } from "../hand";
import type { View } from "../index";
import { short } from "../legend";
import { Board } from "./board";

/** How far from the fingers something is taken hold of, metres of the room. */
const REACH = 0.08;
/** Flying, metres of the room a second; turning, radians; scaling, e-folds. */
const FLY = 1.2;
const TURN = 1.5;
const SCALE = 1.1;

interface Side {
  controller: THREE.XRTargetRaySpace;
  hand: Hand;
  source: XRInputSource | null;
  /** Pose of the controller and of what it holds when it was taken, in the axes of the scene. */
  from: THREE.Vector3;
  fromTurn: THREE.Quaternion;
  held: Hold | null;
  keep: boolean;
  squeezing: boolean;
  ray: THREE.Object3D;
}

export class Headset {
  private readonly sides: Side[];
  private readonly board = new Board();
  private last = 0;
  private pair: { middle: THREE.Vector3; span: THREE.Vector3 } | null = null;

  constructor(private readonly app: App, private readonly view: View) {
    const { xr } = view.stage.renderer;
    const models = new XRHandModelFactory();
    this.sides = [0, 1].map((index) => {
      const controller = xr.getController(index);
      const ray = pointer();
      controller.add(ray);
      const joints = xr.getHand(index);
      joints.add(models.createHandModel(joints, "spheres"));
      const side: Side = {
        controller, hand: new Hand(app, 2 + index), source: null, from: new THREE.Vector3(),
        fromTurn: new THREE.Quaternion(), held: null, keep: false, squeezing: false, ray,
      };
      controller.addEventListener("connected", (event) => (side.source = event.data));
      controller.addEventListener("disconnected", () => {
        side.source = null;
        this.release(side);
      });
      controller.addEventListener("selectstart", () => this.take(side, false));
      controller.addEventListener("selectend", () => this.release(side));
      controller.addEventListener("squeezestart", () => {
        side.squeezing = true;
        this.take(side, true);
      });
      controller.addEventListener("squeezeend", () => {
        side.squeezing = false;
        this.release(side);
      });
      return side;
    });
    this.sides[0]?.controller.add(this.board.mesh);
    view.stage.before.push(() => this.step());
  }

  /** Hangs the scene at the height of the chest, as large as arms are long. */
  begin(): void {
    const { world, scene, extent } = this.view.stage;
    for (const { controller } of this.sides) scene.add(controller);
    for (const index of [0, 1]) scene.add(this.view.stage.renderer.xr.getHand(index));
    const size = extent.isEmpty() ? 1 : extent.getSize(new THREE.Vector3()).length();
    // At its own size where that is comfortable.
    world.scale.setScalar(size > 0.4 && size < 1.6 ? 1 : 1 / size);
    world.rotation.set(-Math.PI / 2, 0, 0);
    world.position.set(0, 0, 0);
    world.updateMatrixWorld();
    const middle = world.localToWorld(extent.isEmpty() ? new THREE.Vector3() : extent.getCenter(new THREE.Vector3()));
    world.position.set(0, 1.25, -0.65).sub(middle);
    world.updateMatrixWorld();
    this.last = performance.now();
  }

  end(): void {
    const { world, scene } = this.view.stage;
    for (const side of this.sides) {
      this.release(side);
      scene.remove(side.controller);
    }
    for (const index of [0, 1]) scene.remove(this.view.stage.renderer.xr.getHand(index));
    world.position.set(0, 0, 0);
    world.rotation.set(0, 0, 0);
    world.scale.setScalar(1);
    world.updateMatrixWorld();
  }

  /** Position and attitude of a controller in the axes of the scene. */
  private pose(side: Side, position: THREE.Vector3, turn: THREE.Quaternion): void {
    const { world } = this.view.stage;
    side.controller.getWorldPosition(position);
    world.worldToLocal(position);
    side.controller.getWorldQuaternion(turn).premultiply(Q.copy(world.quaternion).invert());
  }

  private find(side: Side): Hold | null {
    const { view, app } = this;
    const at = new THREE.Vector3();
    this.pose(side, at, Q2);
    const reach = REACH / view.stage.world.scale.x;
    const thing = view.things.near(at, app.hidden, reach);
    const place = view.shape.near(at, app.hidden, reach);
    const away = place ? place.position.distanceTo(at) : Infinity;
    if (thing && thing.distance <= away) return { name: thing.one.thing.name };
    if (place) return { cable: place.cable, at: place.at };
    // Nothing in reach: what the ray points at.
    const ray = new THREE.Ray(at, new THREE.Vector3(0, 0, -1).applyQuaternion(Q2));
    const slack = { constant: 0.01 / view.stage.world.scale.x, perDistance: 0.012 };
    const far = view.things.hit(ray, app.hidden, slack);
    const cable = view.shape.hit(ray, app.hidden, slack);
    if (far && (!cable || far.distance < cable.position.distanceTo(at))) return { name: far.one.thing.name };
    return cable ? { cable: cable.cable, at: cable.at } : null;
  }

  private take(side: Side, keep: boolean): void {
    if (side.held) return;
    const hold = this.find(side);
    if (!hold) return;
    side.held = hold;
    side.keep = keep || "name" in hold;
    this.pose(side, side.from, side.fromTurn);
    this.pulse(side, 0.5);
    if ("name" in hold) this.app.select({ thing: hold.name, kind: this.view.things.find(hold.name)?.thing.kind ?? "port" });
    else this.app.select(hold);
    void side.hand.grab(hold).then((could) => {
      if (!could) side.held = null;
    });
  }

  private release(side: Side): void {
    if (!side.held) return;
    side.held = null;
    this.pulse(side, 0.2);
    void side.hand.drop(side.keep);
  }

  private pulse(side: Side, strength: number): void {
    const pad = side.source?.gamepad as (Gamepad & { hapticActuators?: { pulse?(s: number, ms: number): void }[] }) | undefined;
    pad?.hapticActuators?.[0]?.pulse?.(strength, 30);
  }

  private step(): void {
    if (!this.view.stage.renderer.xr.isPresenting) return;
    const now = performance.now();
    const seconds = Math.min((now - this.last) / 1000, 0.1);
    this.last = now;
    let words = "";
    for (const side of this.sides) {
      side.ray.visible = side.held === null;
      if (!side.held) continue;
      this.pose(side, P, Q2);
      const { hand } = side;
      // Rigidly with the controller: a point of a cable only follows its position.
      const turn = Q2.multiply(Q.copy(side.fromTurn).invert()).clone();
      const arm = hand.origin.clone().sub(side.from).applyQuaternion(turn);
      const isThing = "name" in side.held;
      const to = isThing ? arm.add(P) : hand.origin.clone().add(P).sub(side.from);
      hand.lead(to, isThing ? turn.multiply(hand.originTurn) : null, now);
      hand.flush();
      words = `${"name" in side.held ? side.held.name : side.held.cable}  ${short(to.distanceTo(hand.origin) * 1000)} mm`;
    }
    const trailer = this.view.shape.frame?.trailer;
    const missing = trailer?.short[0];
    if (missing) words = `${missing.cable}: ${short(missing.missing * 1000)} mm too short`;
    this.board.say(words, missing !== undefined);
    this.twoHands();
    this.sticks(seconds);
  }

  /** The scene between both hands: it moves, turns about the vertical and scales with them. */
  private twoHands(): void {
    const [a, b] = this.sides as [Side, Side];
    if (!(a.squeezing && b.squeezing) || a.held || b.held) {
      this.pair = null;
      return;
    }
    const pa = a.controller.getWorldPosition(new THREE.Vector3());
    const pb = b.controller.getWorldPosition(new THREE.Vector3());
    const next = { middle: pa.clone().add(pb).multiplyScalar(0.5), span: pb.sub(pa) };
    if (this.pair) {
      const factor = next.span.length() / Math.max(this.pair.span.length(), 1e-3);
      const yaw = Math.atan2(next.span.x, next.span.z) - Math.atan2(this.pair.span.x, this.pair.span.z);
      this.transform(this.pair.middle, next.middle, yaw, factor);
    }
    this.pair = next;
  }

  /** Turns and scales the scene about a point of the room, and carries that point to another. */
  private transform(about: THREE.Vector3, to: THREE.Vector3, yaw: number, factor: number): void {
    const { world } = this.view.stage;
    const size = Math.min(Math.max(world.scale.x * factor, 0.01), 100);
    const applied = size / world.scale.x;
    Q.setFromAxisAngle(UP, yaw);
    world.position.sub(about).applyQuaternion(Q).multiplyScalar(applied).add(to);
    world.quaternion.premultiply(Q);
    world.scale.setScalar(size);
    world.updateMatrixWorld();
  }

  private sticks(seconds: number): void {
    const { stage } = this.view;
    const head = stage.renderer.xr.getCamera();
    for (const side of this.sides) {
      const axes = side.source?.gamepad?.axes;
      if (!axes || axes.length < 4) continue;
      const [x, y] = [dead(axes[2] as number), dead(axes[3] as number)];
      if (x === 0 && y === 0) continue;
      if (side.source?.handedness === "left") {
        const forward = head.getWorldDirection(new THREE.Vector3()).setY(0).normalize();
        const right = new THREE.Vector3().crossVectors(forward, UP);
        stage.world.position.addScaledVector(forward, y * FLY * seconds).addScaledVector(right, -x * FLY * seconds);
        stage.world.updateMatrixWorld();
      } else {
        const eye = head.getWorldPosition(new THREE.Vector3());
        const ahead = eye.clone().addScaledVector(head.getWorldDirection(new THREE.Vector3()), 0.7);
        this.transform(ahead, ahead, x * TURN * seconds, Math.exp(-y * SCALE * seconds));
      }
    }
  }
}

function dead(value: number): number {
  return Math.abs(value) < 0.15 ? 0 : value;
}

/** A ball at the fingers and a line ahead. */
function pointer(): THREE.Object3D {
  const group = new THREE.Group();
  group.add(new THREE.Mesh(new THREE.SphereGeometry(0.012, 16, 12), new THREE.MeshBasicMaterial({ color: 0x4fb3ff })));
  const geometry = new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3(0, 0, -0.6)]);
  group.add(new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: 0x4fb3ff, transparent: true, opacity: 0.5 })));
  return group;
}

const P = new THREE.Vector3();
const Q = new THREE.Quaternion();
const Q2 = new THREE.Quaternion();
const UP = new THREE.Vector3(0, 1, 0);
