// The view: cables, what holds them and the surroundings, drawn from the newest frame; what a person does in it.

import "./display_colours";
import * as THREE from "three";
import type { App } from "../app";
import type { Screen } from "../panels/nudge";
import { theme } from "../panels/theme";
import { type Frame, isKnown } from "../frame";
import { Constraints } from "./constraints";
import { Gizmo } from "./gizmo";
import { Hand } from "./hand";
import { Hud } from "./hud";
import { Legend } from "./legend";
import { Obstacles } from "./obstacles";
import { Overlay } from "./overlay";
import { Pointer } from "./pointer";
import { Shape } from "./shape";
import { drawsInSoftware, Stage } from "./stage";
import { Stats } from "./stats";
import { Poles } from "./poles";
import { Things } from "./things";
import { Shown, Tubes } from "./tubes";
import { Triad } from "./triad";
import { TwistRing } from "./twist";
import { mountViewbar } from "./viewbar";
import { mountHeadset } from "./xr/session";

/** For tests and for a person at the console. */
interface Handle {
  app: App;
  /** Where a point of the scene is drawn, in pixels of the page. */
  project(point: [number, number, number]): { x: number; y: number } | null;
  /** Where a place on a cable is. */
  station(cable: string, at: number): [number, number, number] | null;
  /** Where the ring that twists the selected cable is, at an angle. */
  ring(angle: number): { x: number; y: number } | null;
  /** Where points of an arrow or ring of the gizmo are. */
  gizmo(axis: "X" | "Y" | "Z"): { x: number; y: number }[];
  /** What is to the right and up on the screen. */
  screen(): Screen;
  stats(): ReturnType<Stats["summary"]>;
  /** The view as a PNG, as a data address. */
  picture(): string;
  view: View;
}

declare global {
  interface Window {
    flexline?: Handle;
  }
}

export class View {
  readonly shape = new Shape();
  readonly stats = new Stats();
  readonly stage: Stage;
  readonly tubes: Tubes;
  readonly things = new Things(this.shape);
  private readonly poles = new Poles();
  readonly obstacles: Obstacles;
  readonly constraints = new Constraints();
  readonly overlay: Overlay;
  readonly pointer: Pointer;
  readonly gizmo: Gizmo;
  readonly twist: TwistRing;
  readonly hand: Hand;
  private readonly legend: Legend;
  private readonly hud: Hud;
  private readonly triad = new Triad(document.getElementById("view") as HTMLElement);
  private fresh: Frame | null = null;
  private fitted = "";
  private lastStamp = -1;

  constructor(readonly app: App, canvas: HTMLCanvasElement) {
    const fast = drawsInSoftware();
    this.stage = new Stage(app, canvas, fast);
    this.tubes = new Tubes(fast);
    this.obstacles = new Obstacles(app, this.stage, this.things);
    this.stage.world.add(this.tubes.group, this.things.group, this.poles.group, this.obstacles.group, this.constraints.group);
    this.hand = new Hand(app, 0);
    this.overlay = new Overlay(app, this.stage, this.shape, this.things);
    this.gizmo = new Gizmo(app, this.stage, this.things, this.overlay);
    this.twist = new TwistRing(app, this.stage, this.shape, this.overlay);
    this.pointer = new Pointer(
      app, this.stage, this.shape, this.things, this.poles, this.obstacles, this.overlay, this.hand,
      () => this.gizmo.busy() || this.twist.busy(), () => this.highlight(),
    );
    this.legend = new Legend(app, document.getElementById("legend") as HTMLElement);
    this.hud = new Hud(app, document.getElementById("hud") as HTMLElement);
    this.listen();
    this.theme();
    this.stage.before.push(() => this.prepare());
    this.stage.after.push(() => this.drawn());
    mountViewbar(app, this.stage, this.pointer);
    mountHeadset(app, this);
  }

  private listen(): void {
    const { app, stage } = this;
    const redraw = () => stage.draw();
    app.on("scene", (scene) => {
      this.shape.scene = scene;
      // Frames of another revision have other nodes.
      if (this.shape.frame?.revision !== scene.revision) this.fresh = null;
      this.tubes.setScene(scene);
      this.legend.reset();
    });
    app.on("frame", (frame) => {
      const first = this.shape.frame?.revision !== frame.revision;
      this.shape.frame = this.fresh = frame;
      if (first) this.newScene();
      redraw();
    });
    app.on("selection", () => this.highlight());
    app.on("hidden", () => {
      this.fresh = this.shape.frame;
      this.highlight();
    });
    app.on("quantity", () => {
      this.legend.reset();
      this.fresh = this.shape.frame;
      redraw();
    });
    app.on("options", () => this.theme());
    app.on("theme", () => this.theme());
    app.on("look", ({ position, size }) => stage.lookAt(new THREE.Vector3().fromArray(position), size));
    app.on("camera", (view) => {
      if (view === "fit") stage.fit(this.everything());
      else if (view === "selection") this.showSelection();
    });
  }

  /** The first frame of a scene that changed. */
  private newScene(): void {
    const scene = this.shape.scene;
    if (!scene) return;
    const box = this.shape.bounds(new THREE.Box3());
    const size = box.isEmpty() ? 1 : box.getSize(new THREE.Vector3()).length();
    this.things.setScene(scene, size);
    this.poles.setScene(scene, box);
    this.obstacles.setScene(scene, box);
    this.constraints.setScene(scene, size);
    this.highlight();
    const key = `${this.app.session}/${scene.name}`;
    if (this.fitted !== key && !box.isEmpty()) {
      this.fitted = key;
      this.stage.setGround(box);
      this.firstSight();
    } else if (!this.stage.extent.isEmpty() && !within(box, this.stage.extent)) this.stage.setGround(box);
  }

  /** The points that a picture has to hold: cables as thick as they are, and the corners of what is on them. */
  private everything(): THREE.Vector3[] {
    const frame = this.shape.frame;
    if (frame && this.shape.valid()) {
      this.things.setFrame(frame);
      this.obstacles.setFrame(frame.trailer.contacts);
    }
    const held = this.things.drawn.filter(({ form }) => form !== "none");
    return [...this.shape.points(), ...this.shape.surface(), ...this.obstacles.corners(), ...held.flatMap(({ position, turn, half }) => {
      const box = new THREE.Box3(half.clone().negate(), half);
      return Array.from({ length: 8 }, (_, i) => corner(box, i).applyQuaternion(turn).add(position));
    })];
  }

  /** The scene fills the view from the side that shows most of its shape; the panels around may still find their size. */
  private firstSight(): void {
    const points = this.everything();
    const from = this.stage.bestSide(points);
    this.stage.untouched = () => this.stage.fit(points, { from, atOnce: true });
    this.stage.untouched();
  }

  private showSelection(): void {
    const chosen = this.app.selection;
    const points: THREE.Vector3[] = [];
    if (chosen && "thing" in chosen) {
      const one = this.things.find(chosen.thing);
      const box = one && new THREE.Box3().setFromCenterAndSize(one.position, one.half.clone().multiplyScalar(8));
      if (box) for (let i = 0; i < 8; i++) points.push(corner(box, i));
    } else if (chosen) {
      const cable = this.shape.cable(chosen.cable);
      if (cable) for (let i = 0; i < cable.count; i++) points.push(this.shape.node(cable.first + i, new THREE.Vector3()));
    }
    this.stage.fit(points.length > 0 ? points : this.everything());
  }

  private highlight(): void {
    const { app } = this;
    const chosen = app.selection;
    const hovered = this.pointer.hovered;
    const cable = chosen && "cable" in chosen ? chosen.cable : null;
    const over = hovered?.place?.cable ?? null;
    this.tubes.setShown(
      (app.scene?.cables ?? []).map(({ name }) =>
        app.hidden.has(name) ? Shown.No : name === cable ? Shown.Selected : name === over ? Shown.Hovered : Shown.Yes),
    );
    const frame = this.shape.frame;
    if (frame && this.shape.valid()) {
      this.things.setFrame(frame);
      this.obstacles.setFrame(frame.trailer.contacts);
      this.constraints.setFrame(frame);
    }
    const thing = chosen && "thing" in chosen ? chosen : null;
    const accent = this.accent();
    this.things.setShown(app.hidden, hovered?.thing?.thing.name ?? null, thing?.thing ?? null, accent);
    const solid = hovered?.solid?.name ?? null;
    this.poles.setShown(app.hidden, solid, thing?.kind === "pole" ? thing.thing : null, accent);
    this.obstacles.setShown(app.hidden, solid, thing?.kind === "obstacle" ? thing.thing : null, accent);
    this.constraints.setShown(app.hidden, thing?.kind === "constraint" ? thing.thing : null, accent);
    this.stage.draw();
  }

  private accent(): THREE.Color {
    return new THREE.Color(getComputedStyle(document.documentElement).getPropertyValue("--accent").trim() || "#4fb3ff");
  }

  private theme(): void {
    this.fresh = this.shape.frame;
    const dark = document.documentElement.dataset["theme"] !== "light";
    // No colour of a map: an outline must not be read as a value.
    this.tubes.setLook(this.app.options, dark ? 0xffffff : 0x0d1722, dark);
    if (!this.stage.extent.isEmpty()) this.stage.setGround(this.stage.extent.clone());
    this.highlight();
  }

  private prepare(): void {
    this.stats.begin();
    this.hand.flush();
    this.gizmo.flush();
    const frame = this.fresh;
    if (frame && this.shape.valid()) {
      this.tubes.setFrame(frame);
      this.things.setFrame(frame);
      this.obstacles.setFrame(frame.trailer.contacts);
      this.constraints.setFrame(frame);
      this.legend.update(frame);
      this.tubes.setScale(this.legend.scale, theme(), this.app.quantity === "part" || !isKnown(frame.trailer));
      this.hud.update(frame);
      if (this.app.hidden.size) this.highlight();
    }
    const worn = this.stage.renderer.xr.isPresenting;
    this.gizmo.follow(worn);
    this.twist.follow(worn);
    const { camera, size, renderer, world } = this.stage;
    camera.updateMatrixWorld();
    this.tubes.setGround(this.stage.floor);
    this.triad.update(camera);
    this.pointer.follow();
    UP.set(0, 0, 1).transformDirection(world.matrixWorld);
    const eye = worn ? renderer.xr.getCamera().cameras[0]?.viewport : undefined;
    const height = eye?.w ?? size.y * renderer.getPixelRatio();
    this.tubes.setEye(camera, UP, height);
    if (worn) return;
    this.overlay.update(this.pointer.hovered?.thing?.thing.name ?? null);
  }

  private drawn(): void {
    this.stats.end(this.app.work);
    this.app.work = 0;
    const frame = this.fresh;
    this.fresh = null;
    const stamp = frame?.trailer.stamps?.[String(this.app.server.client)];
    if (stamp === undefined || stamp === this.lastStamp) return;
    this.lastStamp = stamp;
    const latency = performance.now() - stamp;
    if (latency >= 0 && latency < 10_000) {
      this.stats.shown(latency);
      this.app.emit("latency", latency);
    }
  }
}

const UP = new THREE.Vector3();

/** One of the eight corners of a box. */
function corner({ min, max }: THREE.Box3, number: number): THREE.Vector3 {
  return new THREE.Vector3(number & 1 ? max.x : min.x, number & 2 ? max.y : min.y, number & 4 ? max.z : min.z);
}

/** Whether a box is within another that has some room to spare. */
function within(box: THREE.Box3, room: THREE.Box3): boolean {
  const size = room.getSize(new THREE.Vector3()).length();
  return room.clone().expandByScalar(0.35 * size).containsBox(box);
}

const NO_WEBGL = [
  "This browser does not draw in three dimensions here: WebGL 2 is off or missing.",
  "Turn on hardware acceleration in the settings of the browser, update the graphics driver, or open this address in a "
    + "current Chrome, Edge, Firefox or Safari. Everything beside the view works meanwhile: the scene, its values, plots and "
    + "checks.",
];

export function mountView(app: App): View | null {
  const canvas = document.getElementById("canvas") as HTMLCanvasElement;
  let view: View;
  try {
    view = new View(app, canvas);
  } catch (error) {
    console.info("no WebGL:", error);
    const words = document.createElement("div");
    words.id = "nowebgl";
    for (const line of NO_WEBGL) {
      const paragraph = document.createElement("p");
      paragraph.textContent = line;
      words.append(paragraph);
    }
    canvas.replaceWith(words);
    return null;
  }
  const pixel = (point: THREE.Vector3) => {
    const at = view.stage.project(point);
    const box = canvas.getBoundingClientRect();
    return at ? { x: at.x + box.left, y: at.y + box.top } : null;
  };
  window.flexline = {
    app,
    view,
    project: (point) => pixel(new THREE.Vector3().fromArray(point)),
    gizmo: (axis) => view.gizmo.points(axis).map(pixel).filter((at) => at !== null),
    ring: (angle) => pixel(view.twist.point(angle)),
    station: (name, at) => {
      const cable = view.shape.cable(name);
      const point = new THREE.Vector3();
      return cable && view.shape.station(cable, at, point) ? point.toArray() : null;
    },
    screen: () => {
      const axis = (x: number, y: number) => new THREE.Vector3(x, y, 0).applyQuaternion(view.stage.camera.quaternion).toArray();
      return { right: axis(1, 0), up: axis(0, 1) };
    },
    stats: () => view.stats.summary(),
    picture: () => view.stage.picture(),
  };
  return view;
}
