// A ring on the far end of the selected cable: turn it, and the cable is wound up. Full turns count.

import * as THREE from "three";
import type { App } from "../app";
import type { Command } from "../protocol";
import type { Overlay } from "./overlay";
import type { Shape } from "./shape";
import type { Stage } from "./stage";

interface Turning {
  cable: string;
  /** What was wound up before, what is added, and where the pointer was last, rad. */
  begin: number;
  angle: number;
  last: number;
}

/** A ring is at least this wide beside its height. */
const LEANT = 0.4;

export class TwistRing {
  private readonly ring: THREE.Mesh;
  private readonly knob: THREE.Mesh;
  private readonly group = new THREE.Group();
  private over = false;
  private turning: Turning | null = null;
  private asking = false;
  private again = false;

  constructor(
    private readonly app: App, private readonly stage: Stage, private readonly shape: Shape,
    private readonly overlay: Overlay,
  ) {
    const material = () => new THREE.MeshBasicMaterial({ color: 0xffc857, transparent: true, opacity: 0.85, depthTest: false });
    this.ring = new THREE.Mesh(new THREE.TorusGeometry(1, 0.035, 8, 64), material());
    this.knob = new THREE.Mesh(new THREE.SphereGeometry(0.11, 16, 12).translate(1, 0, 0), material());
    this.group.add(this.ring, this.knob);
    this.group.renderOrder = 4;
    this.group.visible = false;
    stage.world.add(this.group);
    const { canvas } = stage;
    canvas.addEventListener("pointermove", (event) => this.move(event), { capture: true });
    canvas.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    canvas.addEventListener("pointerup", () => this.up(true), { capture: true });
    canvas.addEventListener("pointercancel", () => this.up(false), { capture: true });
    window.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.turning) return;
      this.up(false);
      event.preventDefault();
    }, { capture: true });
    app.on("connection", (state) => {
      if (state !== "open") this.turning = null;
    });
  }

  busy(): boolean {
    return this.group.visible && (this.over || this.turning !== null);
  }

  /** Sits on the far end of the selected cable. */
  follow(worn: boolean): void {
    const { app, shape, group } = this;
    const chosen = app.selection;
    const cable = chosen && "cable" in chosen ? shape.cable(chosen.cable) : undefined;
    const held = cable && cable.to !== "free";
    group.visible = Boolean(held && !worn && app.tool.name === "select" && !app.hidden.has(cable.name) && shape.valid());
    if (!group.visible || !cable) return;
    const end = shape.frame?.points[(cable.first + cable.count - 1) * 4 + 3] ?? cable.length;
    if (!shape.station(cable, end, group.position, group.quaternion)) return;
    this.faceEye();
    const size = Math.max(3.2 * cable.radius, 30 * this.stage.pixelAt(group.position));
    group.scale.setScalar(size);
    if (this.turning) this.say();
  }

  /** A ring that would be seen as a line is leant towards the eye: it could not be turned. */
  private faceEye(): void {
    const { camera } = this.stage;
    const normal = new THREE.Vector3(0, 0, 1).applyQuaternion(this.group.quaternion);
    const eye = this.stage.camera instanceof THREE.PerspectiveCamera ? camera.position.clone().sub(this.group.position).normalize()
      : camera.getWorldDirection(new THREE.Vector3()).negate();
    const facing = normal.dot(eye);
    if (Math.abs(facing) >= LEANT) return;
    const axis = new THREE.Vector3().crossVectors(normal, eye).normalize();
    const angle = Math.acos(facing) - Math.acos(facing < 0 ? -LEANT : LEANT);
    this.group.quaternion.premultiply(new THREE.Quaternion().setFromAxisAngle(axis, angle));
  }

  /** A point of the ring. */
  point(angle: number): THREE.Vector3 {
    const frame = this.turning ? this.frozen : this.group.quaternion;
    return new THREE.Vector3(Math.cos(angle), Math.sin(angle), 0)
      .applyQuaternion(frame).multiplyScalar(this.group.scale.x).add(this.group.position);
  }

  private angleAt(event: PointerEvent): { angle: number; on: boolean } | null {
    const { box } = this.stage;
    const { ray } = this.stage.ray(event.clientX - box.left, event.clientY - box.top);
    const normal = new THREE.Vector3(0, 0, 1).applyQuaternion(this.group.quaternion);
    const at = new THREE.Vector3();
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(normal, this.group.position);
    // Seen from the side a ring is a line: the plane through it that faces the eye is used then.
    if (Math.abs(normal.dot(ray.direction)) < 0.12 || !ray.intersectPlane(plane, at)) {
      ray.closestPointToPoint(this.group.position, at);
    }
    const off = at.clone().sub(this.group.position);
    const x = new THREE.Vector3(1, 0, 0).applyQuaternion(this.turning ? this.frozen : this.group.quaternion);
    const y = new THREE.Vector3().crossVectors(normal, x);
    const radius = off.length() / this.group.scale.x;
    return { angle: Math.atan2(off.dot(y), off.dot(x)), on: Math.abs(radius - 1) < 0.22 };
  }

  private readonly frozen = new THREE.Quaternion();

  private down(event: PointerEvent): void {
    if (event.button !== 0 || !this.group.visible) return;
    const at = this.angleAt(event);
    const chosen = this.app.selection;
    if (!at?.on || !chosen || !("cable" in chosen)) return;
    const cable = this.shape.cable(chosen.cable);
    if (!cable) return;
    this.over = true;
    this.frozen.copy(this.group.quaternion);
    const turned = this.angleAt(event);
    this.turning = { cable: cable.name, begin: cable.twist, angle: 0, last: turned?.angle ?? 0 };
    this.stage.controls.enabled = false;
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.say();
  }

  private move(event: PointerEvent): void {
    if (!this.group.visible) {
      this.over = false;
      return;
    }
    // A pointer that pulls something else is not on the ring, wherever it is.
    const at = this.turning || event.buttons === 0 ? this.angleAt(event) : null;
    if (!this.turning) {
      const over = Boolean(at?.on);
      if (over !== this.over) {
        this.over = over;
        (this.ring.material as THREE.MeshBasicMaterial).opacity = over ? 1 : 0.85;
        (this.ring.material as THREE.MeshBasicMaterial).color.set(over ? 0xffe3a0 : 0xffc857);
        this.stage.canvas.style.cursor = over ? "grab" : "";
        this.stage.draw();
      }
      return;
    }
    if (!at) return;
    // The shorter way round from event to event: turns add up without end.
    let step = at.angle - this.turning.last;
    step -= 2 * Math.PI * Math.round(step / (2 * Math.PI));
    this.turning.angle += step;
    this.turning.last = at.angle;
    this.ask();
    this.stage.draw();
  }

  /** One question at a time; the newest angle is asked when the last answer is there. */
  private ask(): void {
    if (this.asking) {
      this.again = true;
      return;
    }
    const turning = this.turning;
    if (!turning) return;
    this.asking = true;
    this.again = false;
    const command = this.command(turning);
    void this.app.ask("preview", { command }).then(() => {
      this.asking = false;
      if (this.again) this.ask();
    });
  }

  private command({ cable, begin, angle }: Turning): Command {
    return { do: "turn", cable, to: begin + angle };
  }

  private say(): void {
    const turning = this.turning;
    if (!turning) return;
    const turns = (turning.begin + turning.angle) / (2 * Math.PI);
    this.overlay.saying = { text: `${turns.toFixed(2)} turns`, at: this.group.position.clone() };
  }

  private up(keep: boolean): void {
    const turning = this.turning;
    if (!turning) return;
    this.turning = null;
    this.over = false;
    this.again = false;
    this.overlay.saying = null;
    this.stage.controls.enabled = true;
    if (keep && turning.angle !== 0) void this.app.ask("preview", { command: this.command(turning) });
    void this.app.ask("end-preview", { keep: keep && turning.angle !== 0 });
    this.stage.draw();
  }
}
