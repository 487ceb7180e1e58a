// Mouse, pen and finger: what is under them, selecting, the tools that wait for a click, and pulling with the hand.

import * as THREE from "three";
import type { App } from "../app";
import type { Cable, Thing } from "../protocol";
import type { Hand, Hold } from "./hand";
import { short } from "./legend";
import type { Met, Obstacles } from "./obstacles";
import type { Overlay } from "./overlay";
import type { Poles } from "./poles";
import type { Place, Shape } from "./shape";
import type { Stage } from "./stage";
import type { Drawn, Things } from "./things";

/** What is under a pixel. */
export interface Hit {
  place: Place | null;
  thing: Drawn | null;
  /** A pole or an obstacle; it is selected, and moved by its arrows alone, so that the view can be turned over it. */
  solid: { name: string; kind: "pole" | "obstacle" } | null;
  /** Out of the surface of an obstacle. */
  normal?: THREE.Vector3;
  position: THREE.Vector3;
}

/** Pixels that a press may wander and still be a click. */
const CLICK = 4;
/** A cable is longer by this than the straight way between two of its holds. */
const SLACK = 1.05;

/** Whether cables alone hold a thing: in motion it swings when it is let go. */
export function isLoose(thing: Pick<Thing, "hold">): boolean {
  return thing.hold === "free";
}

export class Pointer {
  hovered: Hit | null = null;
  /** Keeps what is pulled, as if a modifier were held. */
  pinning = false;
  private press: { x: number; y: number; id: number; hit: Hit | null; button: number } | null = null;
  private plane = new THREE.Plane();
  private offset = new THREE.Vector3();
  private depth = 0;
  /** What is pulled lies on a surface, so far off it, and slides along. */
  private along: { off: number; normal: THREE.Vector3 } | null = null;
  private last = { x: 0, y: 0 };
  /** The pointer is over the view. */
  private over = false;
  private pulling = false;
  private raycaster = new THREE.Raycaster();
  private touches = new Map<number, PointerEvent>();
  private replaying = false;

  constructor(
    private readonly app: App, private readonly stage: Stage, private readonly shape: Shape,
    private readonly things: Things, private readonly poles: Poles, private readonly obstacles: Obstacles, private readonly overlay: Overlay,
    private readonly hand: Hand, private readonly busy: () => boolean, private readonly changed: () => void,
  ) {
    const { canvas } = stage;
    // Before the camera's own listeners, which are told whether to look away.
    canvas.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", (event) => this.cancel(event));
    canvas.addEventListener("pointerleave", () => {
      this.over = false;
      this.setHovered(null);
    });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    window.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.escape(event);
    }, { capture: true });
    app.on("tool", () => {
      overlay.measured = null;
      this.cursor();
      stage.draw();
    });
    app.on("connection", (state) => {
      if (state !== "open") this.endPull();
    });
  }

  /** What is under a pixel: things in front of the cables they hold, poles and obstacles where nothing is in front of them. */
  pick(x: number, y: number, pixels: number): Hit | null {
    const hit = this.pickHeld(x, y, pixels);
    const { ray } = this.raycaster;
    const pole = this.poles.hit(this.raycaster);
    const obstacle: Met | null = this.obstacles.hit(this.raycaster);
    const near = Math.min(pole?.distance ?? Infinity, obstacle?.distance ?? Infinity);
    // A cable that lies on something is its own radius in front of it, and is seen through what is glassy.
    const along = hit ? hit.position.clone().sub(ray.origin).dot(ray.direction) : Infinity;
    if (hit && (along <= near + 2 * this.stage.pixelSlack(pixels).perDistance * along || this.isGlassy(obstacle, pole))) return hit;
    if (pole && pole.distance === near) return { place: null, thing: null, solid: { name: pole.name, kind: "pole" }, position: pole.position };
    if (!obstacle) return hit;
    return { place: null, thing: null, solid: { name: obstacle.name, kind: "obstacle" }, normal: obstacle.normal, position: obstacle.position };
  }

  /** Whether what is in front is drawn so that one sees through it. */
  private isGlassy(obstacle: Met | null, pole: { distance: number } | null): boolean {
    if (!obstacle || (pole && pole.distance < obstacle.distance)) return false;
    const form = this.app.scene?.obstacles.find(({ name }) => name === obstacle.name)?.form;
    return this.app.options.translucent || form === "plane" || form === "tube";
  }

  private pickHeld(x: number, y: number, pixels: number): Hit | null {
    const { ray } = this.stage.ray(x, y, this.raycaster);
    const slack = this.stage.pixelSlack(pixels);
    const place = this.shape.hit(ray, this.app.hidden, slack);
    const thing = this.things.hit(ray, this.app.hidden, slack);
    if (thing) {
      const along = place ? place.position.clone().sub(ray.origin).dot(ray.direction) : Infinity;
      // A cable seen through a part that is drawn translucent is still the part's.
      const front = thing.one.form === "box" ? thing.distance : thing.distance - 2 * thing.one.half.x;
      if (front <= along) return { place: null, thing: thing.one, solid: null, position: thing.position };
    }
    return place ? { place, thing: null, solid: null, position: place.position } : null;
  }

  private at(event: PointerEvent): { x: number; y: number } {
    const { box } = this.stage;
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private down(event: PointerEvent): void {
    if (this.replaying) return;
    this.stage.untouched = null;
    const { x, y } = this.at(event);
    if (event.pointerType === "touch") this.touches.set(event.pointerId, event);
    if (this.touches.size > 1) {
      this.secondFinger();
      return;
    }
    if (this.busy() || this.press) return;
    const hit = this.pick(x, y, event.pointerType === "touch" ? 18 : 6);
    this.press = { x, y, id: event.pointerId, hit, button: event.button };
    this.last = { x, y };
    if (event.button === 0 && hit && this.app.tool.name === "select") this.begin(event, hit);
  }

  /** A second finger means the camera, also where the first one came down on a cable: the camera did not see that one. */
  private secondFinger(): void {
    const { controls, canvas } = this.stage;
    const held = this.press;
    if (this.pulling) this.finish(false);
    this.press = null;
    if (controls.enabled) return;
    controls.enabled = true;
    const first = held && this.touches.get(held.id);
    if (!first) return;
    this.replaying = true;
    canvas.dispatchEvent(new PointerEvent("pointerdown", first));
    this.replaying = false;
  }

  private begin(event: PointerEvent, hit: Hit): void {
    const connected = this.app.connection === "open";
    const hold: Hold | null = hit.thing ? { name: hit.thing.thing.name }
      : hit.place ? { cable: hit.place.cable, at: hit.place.at } : null;
    if (!hold || !connected || this.hand.holds) return;
    this.stage.controls.enabled = false;
    this.stage.canvas.setPointerCapture(event.pointerId);
    const normal = this.stage.camera.getWorldDirection(new THREE.Vector3());
    this.plane.setFromNormalAndCoplanarPoint(normal, hit.position);
    this.offset.set(0, 0, 0);
    this.depth = 0;
    this.along = hit.thing ? this.surfaceOf(hit.thing) : null;
  }

  /** The surface that a thing lies on, as it is seen: within three radii of the thickest cable. */
  private surfaceOf({ thing, position }: Drawn): { off: number; normal: THREE.Vector3 } | null {
    if (!["port", "clip", "eye", "start", "end"].includes(thing.kind)) return null;
    const seen = position.clone().project(this.stage.camera);
    const { size } = this.stage;
    this.stage.ray((0.5 + 0.5 * seen.x) * size.x, (0.5 - 0.5 * seen.y) * size.y, this.raycaster);
    const met = this.obstacles.hit(this.raycaster);
    const radius = (this.app.scene?.cables ?? []).reduce((most, cable) => Math.max(most, cable.radius), 0);
    if (!met) return null;
    // Seen at a flat angle the surface behind it is farther away than it is off the surface.
    const away = position.clone().sub(met.position);
    const off = away.dot(met.normal);
    return Math.abs(off) < 3 * radius && away.length() < 20 * radius ? { off, normal: met.normal } : null;
  }

  private move(event: PointerEvent): void {
    const { x, y } = this.at(event);
    const press = this.press;
    this.over = true;
    if (!press || press.id !== event.pointerId) {
      if (!press && event.buttons === 0) this.hover(x, y);
      this.last = { x, y };
      if (this.overlay.first) this.stage.draw();
      return;
    }
    const far = Math.hypot(x - press.x, y - press.y) > CLICK;
    if (!this.pulling && far && !this.stage.controls.enabled && press.hit) this.startPull(press.hit);
    if (this.pulling) this.pullTo(x, y, event);
    this.last = { x, y };
  }

  private startPull(hit: Hit): void {
    this.pulling = true;
    const hold: Hold = hit.thing ? { name: hit.thing.thing.name }
      : { cable: (hit.place as Place).cable, at: (hit.place as Place).at };
    if (hit.thing) this.app.select({ thing: hit.thing.thing.name, kind: hit.thing.thing.kind });
    else if (hit.place) this.app.select({ cable: hit.place.cable, at: hit.place.at });
    void this.hand.grab(hold).then((could) => {
      if (!could) this.endPull();
      // The server may take hold a little beside where the pointer is.
      else this.offset.copy(this.hand.origin).sub(hit.position);
    });
  }

  private pullTo(x: number, y: number, event: PointerEvent): void {
    const hit = this.press?.hit;
    if (!hit) return;
    if (event.shiftKey) {
      // Towards the eye and away from it, as far as the pointer goes down and up.
      this.depth += (this.last.y - y) * this.stage.pixelAt(hit.position) * 1.5;
      x = this.last.x;
      y = this.last.y;
    }
    const { ray } = this.stage.ray(x, y, this.raycaster);
    const met = this.along && !event.shiftKey ? this.obstacles.hit(this.raycaster) : null;
    const to = met ? met.position.clone().addScaledVector(met.normal, this.along?.off ?? 0) : ray.intersectPlane(this.plane, new THREE.Vector3());
    if (!to) return;
    if (!met) to.addScaledVector(this.plane.normal, this.depth).add(this.offset);
    this.hand.lead(to, met && hit.thing ? this.turned(hit.thing.thing, met.normal) : null, event.timeStamp);
    const keep = this.keeps(event);
    const moving = this.app.scene?.mode === "dynamics";
    const distance = short(to.distanceTo(this.hand.origin.lengthSq() ? this.hand.origin : hit.position) * 1000);
    const then = moving ? (hit.thing && isLoose(hit.thing.thing) ? (keep ? " · stays held" : " · swings when let go (Ctrl holds it)") : "")
      : hit.thing ? "" : ` · ${keep ? "stays as a clip" : "springs back (Ctrl keeps it)"}`;
    this.overlay.saying = { text: `${distance} mm${then}`, at: to.clone() };
    this.stage.draw();
  }

  /** How a thing that holds a direction is turned where the surface that it lies on has another normal. */
  private turned(thing: Thing, normal: THREE.Vector3): THREE.Quaternion | null {
    if (!this.along || !this.hand.origin.lengthSq() || (thing.kind !== "port" && thing.hold !== "clamped")) return null;
    return new THREE.Quaternion().setFromUnitVectors(this.along.normal, normal).multiply(this.hand.originTurn);
  }

  /** Where the tool that is used began: the first of two clicks. */
  private begun(): THREE.Vector3 | null {
    const { tool } = this.app;
    if (tool.name === "cable" && tool.from !== undefined) return this.things.find(tool.from)?.position ?? null;
    if (tool.name === "flexible") return tool.from ? new THREE.Vector3(...tool.from) : null;
    if (tool.name !== "lengthen" || tool.cable === undefined || tool.from === undefined) return null;
    const cable = this.shape.cable(tool.cable);
    const at = new THREE.Vector3();
    return cable && this.shape.station(cable, tool.from, at) ? at : null;
  }

  /** While a cable does not come along, a line shows where the hand is; of two clicks, a line leads from the first. */
  follow(): void {
    const from = this.begun();
    this.overlay.first = from;
    if (from) {
      this.overlay.setPull(from, this.over ? (this.hovered?.position ?? this.inView(this.last.x, this.last.y, from)) : null);
      return;
    }
    const hold = this.pulling ? this.hand.holds : null;
    const cable = hold && "cable" in hold ? this.shape.cable(hold.cable) : undefined;
    const at = new THREE.Vector3();
    if (!hold || !("cable" in hold) || !cable || !this.shape.station(cable, hold.at, at)) {
      this.overlay.setPull(null, null);
      return;
    }
    this.overlay.setPull(at, this.hand.target.lengthSq() > 0 ? this.hand.target : null);
  }

  private keeps(event: { ctrlKey: boolean; altKey: boolean; metaKey: boolean }): boolean {
    return this.pinning || event.ctrlKey || event.altKey || event.metaKey;
  }

  private up(event: PointerEvent): void {
    this.touches.delete(event.pointerId);
    const press = this.press;
    if (!press || press.id !== event.pointerId) return;
    const { x, y } = this.at(event);
    // A thing stays where it was put; in motion what cables alone hold is let go, unless it is to be held.
    const thing = press.hit?.thing?.thing;
    const stays = thing !== undefined && (this.app.scene?.mode !== "dynamics" || !isLoose(thing));
    if (this.pulling) this.finish(stays || this.keeps(event));
    else if (press.button === 0 && Math.hypot(x - press.x, y - press.y) <= CLICK) this.click(press.hit, x, y);
    this.press = null;
    this.stage.controls.enabled = true;
  }

  private cancel(event: PointerEvent): void {
    this.touches.delete(event.pointerId);
    if (this.pulling) this.finish(false);
    this.press = null;
    this.stage.controls.enabled = true;
    this.stage.draw();
  }

  private finish(keep: boolean): void {
    this.pulling = false;
    this.overlay.saying = null;
    void this.hand.drop(keep);
    this.stage.draw();
  }

  private endPull(): void {
    this.pulling = false;
    this.overlay.saying = null;
    this.stage.controls.enabled = true;
    this.stage.draw();
  }

  /** Lets go first, then forgets what was measured; what is left of the key is the page's. */
  private escape(event: KeyboardEvent): void {
    if (this.pulling) {
      this.finish(false);
      this.press = null;
      this.stage.controls.enabled = true;
      event.preventDefault();
    } else if (this.overlay.measured) {
      this.overlay.measured = null;
      this.stage.draw();
      event.preventDefault();
    }
  }

  private click(hit: Hit | null, x: number, y: number): void {
    const { app } = this;
    if (app.tool.name === "select") {
      if (!hit) app.select(null);
      else if (hit.thing) app.select({ thing: hit.thing.thing.name, kind: hit.thing.thing.kind });
      else if (hit.place) app.select({ cable: hit.place.cable, at: hit.place.at });
      else if (hit.solid) app.select({ thing: hit.solid.name, kind: hit.solid.kind });
      return;
    }
    if (app.tool.name === "measure") {
      this.measure(hit, x, y);
      return;
    }
    const position = (hit?.position ?? this.inView(x, y)).toArray() as [number, number, number];
    if (!hit) app.emit("picked", { position });
    else if (hit.thing) app.emit("picked", { thing: hit.thing.thing.name, kind: hit.thing.thing.kind, position });
    else if (hit.place) app.emit("picked", { cable: hit.place.cable, at: hit.place.at, position });
    else app.emit("picked", { position, ...(hit.normal && { normal: hit.normal.toArray() as [number, number, number] }), ...this.beside(hit) });
  }

  /** The place of the cable that is selected, or of the only one, beside what was clicked. */
  private beside({ position }: Hit): { cable?: string; at?: number; tangent?: [number, number, number] } {
    const { selection, scene } = this.app;
    const only = scene?.cables.length === 1 ? scene.cables[0] : undefined;
    const cable = selection && "cable" in selection ? this.shape.cable(selection.cable) : only;
    const near = cable && this.shape.nearest(cable, position);
    return near ? { cable: cable.name, at: this.reaching(cable, near.at, position), tangent: near.tangent.toArray() } : {};
  }

  /** The place of a cable that can be held at a point: beside `at`, and far enough along it from what holds it before and behind. */
  private reaching(cable: Cable, at: number, point: THREE.Vector3): number {
    const place = new THREE.Vector3();
    const holds = [0, ...this.things.drawn.flatMap(({ thing }) => (thing.cable === cable.name && thing.at !== null ? [thing.at] : [])),
      ...(cable.to === "free" ? [] : [cable.length])];
    const need = (s: number): number => (this.shape.station(cable, s, place) ? SLACK * place.distanceTo(point) : 0);
    const least = Math.max(...holds.filter((s) => s <= at).map((s) => s + need(s)), 0);
    const most = Math.min(...holds.filter((s) => s > at).map((s) => s - need(s)), cable.length);
    return least <= most ? Math.min(Math.max(at, least), most) : at;
  }

  /** The point under a pixel at the depth of another one, or of what is looked at. */
  private inView(x: number, y: number, depth: THREE.Vector3 = this.stage.controls.target): THREE.Vector3 {
    const { ray } = this.stage.ray(x, y, this.raycaster);
    const normal = this.stage.camera.getWorldDirection(new THREE.Vector3());
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(normal, depth);
    return ray.intersectPlane(plane, new THREE.Vector3()) ?? depth.clone();
  }

  private measure(hit: Hit | null, x: number, y: number): void {
    const at = hit?.position.clone() ?? this.inView(x, y);
    const { overlay } = this;
    if (!overlay.measured || overlay.measured[1]) overlay.measured = [at, null];
    else overlay.measured = [overlay.measured[0], at];
    this.stage.draw();
  }

  private hover(x: number, y: number): void {
    if (this.busy()) {
      this.setHovered(null);
      return;
    }
    this.setHovered(this.pick(x, y, 6));
  }

  private setHovered(hit: Hit | null): void {
    const name = (one: Hit | null) => one?.thing?.thing.name ?? one?.place?.cable ?? one?.solid?.name ?? null;
    const before = this.hovered;
    this.hovered = hit;
    if (hit?.place) this.app.emit("hover", { cable: hit.place.cable, at: hit.place.at });
    else if (before?.place) this.app.emit("hover", null);
    if (name(before) !== name(hit) || (before?.thing === null) !== (hit?.thing === null)) {
      this.cursor();
      this.changed();
    }
  }

  private cursor(): void {
    const tool = this.app.tool.name;
    const { canvas } = this.stage;
    if (tool !== "select") canvas.style.cursor = this.hovered ? "crosshair" : "cell";
    else canvas.style.cursor = this.hovered ? (this.hovered.solid === null ? "grab" : "pointer") : "";
  }
}
