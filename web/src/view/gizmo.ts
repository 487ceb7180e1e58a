// Arrows and rings on the selected thing: move and turn it exactly along an axis.

import * as THREE from "three";
import { TransformControls } from "three/addons/controls/TransformControls.js";
import type { App } from "../app";
import { Hand } from "./hand";
import { short } from "./legend";
import type { Overlay } from "./overlay";
import type { Stage } from "./stage";
import type { Things } from "./things";

export class Gizmo {
  private readonly proxy = new THREE.Object3D();
  private readonly controls: TransformControls;
  private readonly hand: Hand;
  private name: string | null = null;
  private dragging = false;
  private moved = false;

  constructor(
    private readonly app: App, private readonly stage: Stage, private readonly things: Things,
    private readonly overlay: Overlay,
  ) {
    this.hand = new Hand(app, 1);
    stage.world.add(this.proxy);
    const controls = new TransformControls(stage.camera, stage.canvas);
    controls.size = 0.85;
    controls.attach(this.proxy);
    controls.addEventListener("change", () => stage.draw());
    controls.addEventListener("dragging-changed", (event) => this.drag(event.value as boolean));
    controls.addEventListener("objectChange", () => this.lead());
    this.controls = controls;
    app.on("selection", () => this.attach());
    app.on("scene", () => this.attach());
    app.on("tool", () => this.attach());
    app.on("options", () => this.attach());
    window.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.dragging) {
        this.dragging = false;
        controls.reset();
        void this.hand.drop(false);
        event.preventDefault();
      }
      if (event.key === "Shift") controls.setRotationSnap(Math.PI / 12);
    }, { capture: true });
    window.addEventListener("keyup", (event) => {
      if (event.key === "Shift") controls.setRotationSnap(null);
    });
    this.attach();
  }

  /** The pointer is on an arrow or moves one. */
  busy(): boolean {
    return this.name !== null && (this.dragging || this.controls.axis !== null);
  }

  /** Which axis the pointer is on. */
  get under(): string | null {
    return this.name === null ? null : this.controls.axis;
  }

  /** Points of what one takes hold of for an axis: some may lie behind others. */
  points(axis: "X" | "Y" | "Z"): THREE.Vector3[] {
    const points: THREE.Vector3[] = [];
    this.controls.getHelper().traverse((one) => {
      if (!(one instanceof THREE.Mesh) || one.name !== axis || !shownIn(one)) return;
      const corners = (one.geometry as THREE.BufferGeometry).getAttribute("position");
      const stride = Math.max(1, Math.floor(corners.count / 16));
      for (let i = 0; i < corners.count; i += stride) {
        points.push(new THREE.Vector3().fromBufferAttribute(corners, i).applyMatrix4(one.matrixWorld));
      }
    });
    return points;
  }

  private attach(): void {
    const chosen = this.app.selection;
    const kind = chosen && "thing" in chosen ? chosen.kind : null;
    const here = kind !== null && kind !== "connector" && this.app.tool.name === "select";
    this.name = here && chosen && "thing" in chosen ? chosen.thing : null;
    if (this.name !== null && !this.app.scene?.things.some((thing) => thing.name === this.name)) this.name = null;
    this.controls.setMode(this.app.options.gizmo === "rotate" ? "rotate" : "translate");
    this.controls.setSpace(this.app.options.gizmo === "rotate" ? "local" : "world");
    this.controls.enabled = this.name !== null;
    this.show(this.name !== null);
    if (this.name === null) this.controls.axis = null;
    this.stage.draw();
  }

  /** Arrows that are not shown are not in the world: their many matrices would be worked out for each drawing. */
  private show(on: boolean): void {
    const helper = this.controls.getHelper();
    if (on === (helper.parent !== null)) return;
    if (on) this.stage.world.add(helper);
    else this.stage.world.remove(helper);
  }

  /** Stays on the thing while nobody moves it; in a headset one takes the thing itself. */
  follow(worn: boolean): void {
    this.show(this.name !== null && !worn);
    // While the pointer pulls something else it is on no arrow; asking would lay out the page at every event.
    this.controls.enabled = this.name !== null && (this.dragging || this.stage.controls.enabled);
    this.controls.camera = this.stage.camera;
    if (this.dragging || this.name === null) return;
    const one = this.things.find(this.name);
    if (!one) return;
    this.proxy.position.copy(one.position);
    this.proxy.quaternion.copy(one.turn);
  }

  flush(): void {
    this.hand.flush();
  }

  private drag(begins: boolean): void {
    this.stage.controls.enabled = !begins;
    if (begins && this.name !== null) {
      this.dragging = true;
      this.moved = false;
      void this.hand.grab({ name: this.name }).then((could) => {
        if (!could) this.dragging = false;
      });
    } else if (this.dragging) {
      this.dragging = false;
      this.overlay.saying = null;
      void this.hand.drop(this.moved);
    }
  }

  private lead(): void {
    if (!this.dragging) return;
    this.moved = true;
    const turning = this.app.options.gizmo === "rotate";
    this.hand.lead(this.proxy.position, turning ? this.proxy.quaternion.clone() : null, performance.now());
    const angle = (this.hand.originTurn.angleTo(this.proxy.quaternion) * 180) / Math.PI;
    const way = this.proxy.position.distanceTo(this.hand.origin) * 1000;
    this.overlay.saying = { text: turning ? `${short(angle)}°` : `${short(way)} mm`, at: this.proxy.position.clone() };
    this.stage.draw();
  }
}

/** Whether everything that an object is part of is drawn. */
function shownIn(object: THREE.Object3D): boolean {
  return object.visible && (object.parent === null || shownIn(object.parent));
}
