// Where everything stands: the renderer, the two cameras, the light, the ground, and the loop that draws when something
// has changed.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { App, CameraView } from "../app";

const DIRECTIONS: Record<Exclude<CameraView, "fit" | "selection">, [number, number, number]> = {
  front: [0, -1, 0],
  back: [0, 1, 0],
  left: [-1, 0, 0],
  right: [1, 0, 0],
  top: [0, 0, 1],
  bottom: [0, 0, -1],
  iso: [0.62, -0.95, 0.52],
};

const FIELD = 35;
/** Pixels at the sides of the view that buttons and words cover, and some air. */
const FREE = { left: 36, right: 72, top: 64, bottom: 40 };

/** What the legend covers in the lower left corner, with some air. */
const LEGEND = { width: 262, height: 168 };

/** What is looked at, and from how far. */
interface Framing {
  centre: THREE.Vector3;
  distance: number;
}

/** What is to the right and up in a picture that is seen from a direction. */
function sides(direction: THREE.Vector3, up: THREE.Vector3): [THREE.Vector3, THREE.Vector3] {
  const right = new THREE.Vector3().crossVectors(up, direction).normalize();
  return [right, new THREE.Vector3().crossVectors(direction, right)];
}

/** How far points spread in a picture, both ways: a line seen from its end spreads little, a plane seen from its edge too. */
function spread(points: readonly THREE.Vector3[], right: THREE.Vector3, up: THREE.Vector3): number {
  let [x, y, xx, yy, xy] = [0, 0, 0, 0, 0];
  for (const point of points) {
    const [r, u] = [point.dot(right), point.dot(up)];
    x += r;
    y += u;
    xx += r * r;
    yy += u * u;
    xy += r * u;
  }
  const n = points.length;
  [xx, yy, xy] = [xx / n - (x / n) ** 2, yy / n - (y / n) ** 2, xy / n - (x / n) * (y / n)];
  // The area, and where all lie on one line its length counts: never zero.
  return Math.sqrt(Math.max(xx * yy - xy * xy, 0)) + 0.15 * (xx + yy);
}

export class Stage {
  readonly renderer: THREE.WebGLRenderer;
  readonly scene = new THREE.Scene();
  /** Everything that belongs to the scene; in a headset it is turned, scaled and moved. */
  readonly world = new THREE.Group();
  readonly perspective = new THREE.PerspectiveCamera(FIELD, 1, 0.01, 100);
  readonly orthographic = new THREE.OrthographicCamera(-1, 1, 1, -1, -100, 100);
  camera: THREE.PerspectiveCamera | THREE.OrthographicCamera = this.perspective;
  readonly controls: OrbitControls;
  /** Called before each drawing. */
  readonly before: (() => void)[] = [];
  /** Called after each drawing. */
  readonly after: (() => void)[] = [];
  /** What everything together occupies, as of the last fit. */
  readonly extent = new THREE.Box3();
  readonly size = new THREE.Vector2(1, 1);
  /** Where the canvas is on the page; asking for it at every event would lay out the page each time. */
  box = new DOMRect();
  /** Height of the ground. */
  floor = 0;
  /** Shows everything again, as long as nobody has turned the view: when panels beside it come or go. */
  untouched: (() => void) | null = null;
  private dirty = true;
  private grid: THREE.Object3D | null = null;
  private axes: THREE.Object3D;
  private readonly section = new THREE.Plane();
  private flight: (() => boolean) | null = null;

  constructor(readonly app: App, readonly canvas: HTMLCanvasElement, readonly fast: boolean) {
    this.renderer = new THREE.WebGLRenderer({
      canvas, antialias: !fast, alpha: true, stencil: true, powerPreference: "high-performance",
    });
    this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace;
    this.renderer.setClearColor(0, 0);
    this.renderer.xr.enabled = true;
    this.scene.add(this.world);
    this.world.add(new THREE.HemisphereLight(0xffffff, 0x8a93a0, 1.55));
    const sun = new THREE.DirectionalLight(0xffffff, 1.6);
    sun.position.set(0.6, -0.9, 1.6);
    this.world.add(sun);
    for (const camera of [this.perspective, this.orthographic]) {
      camera.up.set(0, 0, 1);
      camera.position.set(0.9, -1.4, 0.8);
    }
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.zoomToCursor = true;
    this.controls.enableDamping = false;
    this.controls.addEventListener("change", () => this.draw());
    this.controls.addEventListener("start", () => (this.untouched = null));
    this.axes = axes();
    this.world.add(this.axes);

    new ResizeObserver(() => this.resize()).observe(canvas.parentElement as HTMLElement);
    this.resize();
    app.on("camera", (view) => {
      if (view !== "fit" && view !== "selection") this.look(view);
    });
    app.on("options", () => this.applyOptions());
    this.applyOptions();
    this.renderer.setAnimationLoop(() => this.loop());
  }

  draw(): void {
    this.dirty = true;
  }

  private loop(): void {
    if (this.flight && !this.flight()) this.flight = null;
    if (!this.dirty && !this.renderer.xr.isPresenting) return;
    this.dirty = false;
    for (const step of this.before) step();
    this.renderer.render(this.scene, this.camera);
    for (const step of this.after) step();
  }

  resize(): void {
    const holder = this.canvas.parentElement as HTMLElement;
    this.size.set(Math.max(holder.clientWidth, 1), Math.max(holder.clientHeight, 1));
    this.box = this.canvas.getBoundingClientRect();
    if (this.renderer.xr.isPresenting) return;
    this.renderer.setPixelRatio(this.fast ? 1 : Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(this.size.x, this.size.y, false);
    this.frameCameras();
    this.untouched?.();
    this.draw();
  }

  /** The orthographic camera shows what the perspective one shows at the distance of its target. */
  private frameCameras(): void {
    const aspect = this.size.x / this.size.y;
    this.perspective.aspect = aspect;
    this.perspective.updateProjectionMatrix();
    const distance = this.camera.position.distanceTo(this.controls?.target ?? new THREE.Vector3());
    if (this.camera === this.perspective) {
      const half = distance * Math.tan((FIELD * Math.PI) / 360);
      this.orthographic.top = half;
      this.orthographic.zoom = 1;
    }
    const half = this.orthographic.top;
    this.orthographic.bottom = -half;
    this.orthographic.left = -half * aspect;
    this.orthographic.right = half * aspect;
    this.orthographic.updateProjectionMatrix();
  }

  private applyOptions(): void {
    const { perspective, mouse, grid, section } = this.app.options;
    const next = perspective ? this.perspective : this.orthographic;
    if (next !== this.camera) {
      this.frameCameras();
      if (perspective) {
        // Keep the apparent size: the distance at which the field of view spans what was seen.
        const half = this.orthographic.top / this.orthographic.zoom;
        const away = this.orthographic.position.clone().sub(this.controls.target).normalize();
        next.position.copy(this.controls.target).addScaledVector(away, half / Math.tan((FIELD * Math.PI) / 360));
      } else next.position.copy(this.camera.position);
      next.quaternion.copy(this.camera.quaternion);
      this.camera = next;
      this.controls.object = next;
      this.controls.update();
    }
    const { MOUSE } = THREE;
    this.controls.mouseButtons = mouse === "cad"
      ? { LEFT: null, MIDDLE: MOUSE.ROTATE, RIGHT: MOUSE.PAN }
      : { LEFT: MOUSE.ROTATE, MIDDLE: MOUSE.PAN, RIGHT: MOUSE.PAN };
    if (this.grid) this.grid.visible = grid;
    this.axes.visible = grid;
    if (section) {
      const normal = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] }[section.axis] as [number, number, number];
      this.section.normal.fromArray(normal).multiplyScalar(section.flip ? 1 : -1);
      this.section.constant = section.flip ? -section.offset : section.offset;
      this.renderer.clippingPlanes = [this.section];
    } else this.renderer.clippingPlanes = [];
    this.draw();
  }

  /** Looks from a side, keeping what is looked at. */
  look(view: keyof typeof DIRECTIONS): void {
    const direction = new THREE.Vector3().fromArray(DIRECTIONS[view]).normalize();
    // Looking straight down has no up: a hair's breadth to the front keeps x to the right.
    if (Math.abs(direction.z) > 0.999) direction.y -= 1e-4;
    this.fly(this.controls.target.clone(), this.distance(), direction.normalize());
  }

  /** Shows points whole, filling what buttons leave free; from where one is, or from another side. */
  fit(points: readonly THREE.Vector3[], { from, atOnce = false }: { from?: THREE.Vector3; atOnce?: boolean } = {}): void {
    if (points.length === 0) return;
    const direction = from?.clone() ?? this.camera.position.clone().sub(this.controls.target).normalize();
    const { centre, distance } = this.clear(points, direction);
    if (atOnce) this.place(centre, distance, direction);
    else this.fly(centre, distance, direction);
  }

  /**
   * What to look at and from how far, so that all points are within the free part of the picture. To the right a point is
   * in it where r + w n ≤ c + w d, with n its way towards the eye and w the tangent of half the free width; likewise on
   * the other sides: the largest of each gives the middle c and the distance d.
   */
  private framing(points: readonly THREE.Vector3[], direction: THREE.Vector3, margins: typeof FREE): Framing {
    const [right, up] = sides(direction, this.camera.up);
    const tangent = Math.tan((FIELD * Math.PI) / 360);
    const free = {
      x: Math.max(this.size.x - margins.left - margins.right, 0.4 * this.size.x), y: Math.max(this.size.y - margins.top - margins.bottom, 0.4 * this.size.y),
    };
    // Towards the eye things grow only in perspective.
    const grows = this.camera === this.perspective ? 1 : 0;
    const along = (axis: THREE.Vector3, half: number) => {
      let [more, less] = [-Infinity, -Infinity];
      for (const point of points) {
        const [to, near] = [point.dot(axis), grows * half * point.dot(direction)];
        more = Math.max(more, to + near);
        less = Math.max(less, near - to);
      }
      return { middle: (more - less) / 2, distance: (more + less) / (2 * half) };
    };
    const x = along(right, (tangent * free.x) / this.size.y);
    const y = along(up, (tangent * free.y) / this.size.y);
    const depths = points.map((point) => point.dot(direction));
    const middle = (Math.min(...depths) + Math.max(...depths)) / 2;
    // What comes towards the eye is not looked at from so near that it hides the rest.
    const diagonal = new THREE.Box3().setFromPoints([...points]).getSize(new THREE.Vector3()).length();
    const distance = Math.max(Math.max(x.distance, y.distance) - grows * middle, grows * diagonal, 0.01);
    const pixel = (2 * distance * tangent) / this.size.y;
    const centre = new THREE.Vector3().addScaledVector(right, x.middle).addScaledVector(up, y.middle).addScaledVector(direction, middle)
      .addScaledVector(right, ((margins.right - margins.left) / 2) * pixel).addScaledVector(up, ((margins.top - margins.bottom) / 2) * pixel);
    return { centre, distance };
  }

  /** As large as the picture can be with nothing behind the legend; where that takes too much room, behind it. */
  private clear(points: readonly THREE.Vector3[], direction: THREE.Vector3): Framing {
    const whole = this.framing(points, direction, FREE);
    const beside = this.framing(points, direction, { ...FREE, left: LEGEND.width });
    const above = this.framing(points, direction, { ...FREE, bottom: LEGEND.height });
    const best = [whole, beside, above].filter((framing) => !this.behindLegend(points, direction, framing)).sort((a, b) => a.distance - b.distance)[0];
    return best && best.distance < 1.45 * whole.distance ? best : whole;
  }

  private behindLegend(points: readonly THREE.Vector3[], direction: THREE.Vector3, { centre, distance }: Framing): boolean {
    const [right, up] = sides(direction, this.camera.up);
    const half = this.size.y / 2 / Math.tan((FIELD * Math.PI) / 360);
    const off = new THREE.Vector3();
    return points.some((point) => {
      off.copy(point).sub(centre);
      const depth = this.camera === this.perspective ? distance - off.dot(direction) : distance;
      const [x, y] = [this.size.x / 2 + (half * off.dot(right)) / depth, this.size.y / 2 + (half * off.dot(up)) / depth];
      return x < LEGEND.width && y < LEGEND.height;
    });
  }

  /** The side from which points spread most over the picture: from the front half, and not from far above or below. */
  bestSide(points: readonly THREE.Vector3[]): THREE.Vector3 {
    let best = new THREE.Vector3().fromArray(DIRECTIONS.iso).normalize();
    let most = -1;
    for (const elevation of [14, 24, 36, 52]) {
      for (let azimuth = -90; azimuth <= 90; azimuth += 10) {
        const [e, a] = [(elevation * Math.PI) / 180, (azimuth * Math.PI) / 180];
        const direction = new THREE.Vector3(Math.sin(a) * Math.cos(e), -Math.cos(a) * Math.cos(e), Math.sin(e));
        // Where two sides show about as much, the customary one is taken: a little aslant, so that depth is seen, and the
        // rings at the ends of cables are not lines.
        const custom = 1 - (0.6 * Math.abs(azimuth - 30)) / 120 - (0.12 * Math.abs(elevation - 24)) / 28;
        const score = custom * spread(points, ...sides(direction, this.camera.up));
        if (score > most) [best, most] = [direction, score];
      }
    }
    return best;
  }

  private distance(): number {
    return this.camera === this.perspective
      ? this.camera.position.distanceTo(this.controls.target)
      : this.orthographic.top / this.orthographic.zoom / Math.tan((FIELD * Math.PI) / 360);
  }

  /** Stands somewhere. */
  private place(target: THREE.Vector3, distance: number, direction: THREE.Vector3): void {
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(direction, distance);
    if (this.camera === this.orthographic) {
      this.orthographic.top = distance * Math.tan((FIELD * Math.PI) / 360);
      this.orthographic.zoom = 1;
    }
    const size = Math.max(distance, 0.01);
    this.perspective.near = size / 200;
    this.perspective.far = size * 60;
    this.orthographic.near = -size * 30;
    this.orthographic.far = size * 60;
    this.frameCameras();
    this.controls.update();
    this.draw();
  }

  /** Goes there in a quarter of a second, so that one keeps one's bearings. */
  private fly(target: THREE.Vector3, distance: number, direction: THREE.Vector3): void {
    this.untouched = null;
    if (window.matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.place(target, distance, direction);
      return;
    }
    const from = { target: this.controls.target.clone(), distance: this.distance() };
    const away = this.camera.position.clone().sub(from.target).normalize();
    const turn = new THREE.Quaternion().setFromUnitVectors(away, direction);
    const still = new THREE.Quaternion();
    const begin = performance.now();
    this.flight = () => {
      const t = Math.min((performance.now() - begin) / 250, 1);
      const ease = t * t * (3 - 2 * t);
      const where = t < 1 ? away.clone().applyQuaternion(still.clone().slerp(turn, ease)) : direction;
      this.place(
        from.target.clone().lerp(target, ease), from.distance * (distance / from.distance) ** ease, where,
      );
      return t < 1;
    };
  }

  /** Looks at one place, from where one is. */
  lookAt(position: THREE.Vector3, size?: number): void {
    const direction = this.camera.position.clone().sub(this.controls.target).normalize();
    this.fly(position, size ? (1.2 * size) / Math.sin((FIELD * Math.PI) / 360) : this.distance(), direction);
  }

  /** Moves with a device that is pushed and turned: three shares each, right, towards oneself and down. */
  nudge(push: readonly number[], twist: readonly number[], seconds: number): void {
    this.untouched = null;
    const [x = 0, y = 0, z = 0] = push;
    const [pitch = 0, , yaw = 0] = twist;
    const distance = this.distance();
    const arm = this.camera.position.clone().sub(this.controls.target).normalize();
    const right = new THREE.Vector3(1, 0, 0).applyQuaternion(this.camera.quaternion);
    const up = new THREE.Vector3(0, 1, 0).applyQuaternion(this.camera.quaternion);
    const target = this.controls.target.clone()
      .addScaledVector(right, -x * distance * seconds).addScaledVector(up, z * distance * seconds);
    arm.applyAxisAngle(this.camera.up, -1.5 * yaw * seconds);
    const tilted = arm.clone().applyAxisAngle(right, -1.5 * pitch * seconds);
    if (Math.abs(tilted.z) < 0.995) arm.copy(tilted);
    this.place(target, distance * Math.exp(1.2 * y * seconds), arm);
  }

  /** The ground below a box: squares of a round size. */
  setGround(box: THREE.Box3): void {
    this.extent.copy(box);
    if (this.grid) {
      this.world.remove(this.grid);
      (this.grid as THREE.LineSegments).geometry.dispose();
      ((this.grid as THREE.LineSegments).material as THREE.Material).dispose();
    }
    const dark = document.documentElement.dataset["theme"] !== "light";
    this.grid = ground(box, dark);
    this.grid.visible = this.app.options.grid;
    this.floor = this.grid.position.z;
    this.world.add(this.grid);
    const size = box.getSize(new THREE.Vector3()).length();
    this.axes.scale.setScalar(0.12 * size);
    this.axes.position.set(this.grid.userData["x"] as number, this.grid.userData["y"] as number, this.grid.position.z);
    this.draw();
  }

  /** The ray of a pixel, in the axes of the scene. */
  ray(x: number, y: number, target = new THREE.Raycaster()): THREE.Raycaster {
    const at = new THREE.Vector2((x / this.size.x) * 2 - 1, 1 - (y / this.size.y) * 2);
    this.camera.updateMatrixWorld();
    target.setFromCamera(at, this.camera);
    return target;
  }

  /** How many metres a pixel spans: constant and per metre of distance from the eye. */
  pixelSlack(pixels: number): { constant: number; perDistance: number } {
    if (this.camera === this.perspective) {
      return { constant: 0, perDistance: (2 * pixels * Math.tan((FIELD * Math.PI) / 360)) / this.size.y };
    }
    return { constant: (2 * pixels * this.orthographic.top) / (this.orthographic.zoom * this.size.y), perDistance: 0 };
  }

  /** Size in the scene of a pixel at a point. */
  pixelAt(point: THREE.Vector3): number {
    const { constant, perDistance } = this.pixelSlack(1);
    return constant + perDistance * Math.max(this.depth(point), 1e-6);
  }

  depth(point: THREE.Vector3): number {
    const away = this.camera.getWorldDirection(new THREE.Vector3());
    return point.clone().sub(this.camera.position).dot(away);
  }

  /** Where a point is drawn, in pixels of the canvas; `null` behind the eye. */
  project(point: THREE.Vector3): { x: number; y: number } | null {
    if (this.camera === this.perspective && this.depth(point) <= 0) return null;
    const at = point.clone().project(this.camera);
    return { x: ((at.x + 1) / 2) * this.size.x, y: ((1 - at.y) / 2) * this.size.y };
  }

  /** The view as a PNG, with the background that the page has behind it. */
  picture(): string {
    const { width, height } = this.canvas;
    const whole = document.createElement("canvas");
    whole.width = width;
    whole.height = height;
    const context = whole.getContext("2d") as CanvasRenderingContext2D;
    const shade = context.createLinearGradient(0, 0, 0, height);
    const style = getComputedStyle(document.documentElement);
    shade.addColorStop(0, style.getPropertyValue("--view-top").trim() || "#fff");
    shade.addColorStop(1, style.getPropertyValue("--view-bottom").trim() || "#fff");
    context.fillStyle = shade;
    context.fillRect(0, 0, width, height);
    this.renderer.render(this.scene, this.camera);
    context.drawImage(this.canvas, 0, 0);
    return whole.toDataURL("image/png");
  }
}

/** Whether pixels are computed by the processor: then cables are drawn with fewer corners. `?quality=` overrides it. */
export function drawsInSoftware(): boolean {
  const asked = new URLSearchParams(location.search).get("quality");
  if (asked) return asked === "fast";
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = gl && info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

function axes(): THREE.Object3D {
  const group = new THREE.Group();
  for (const [direction, colour] of [
    [new THREE.Vector3(1, 0, 0), 0xe0564f],
    [new THREE.Vector3(0, 1, 0), 0x55b96a],
    [new THREE.Vector3(0, 0, 1), 0x4f8fe0],
  ] as const) {
    group.add(new THREE.ArrowHelper(direction, new THREE.Vector3(), 1, colour, 0.16, 0.07));
  }
  return group;
}

function ground(box: THREE.Box3, dark: boolean): THREE.LineSegments {
  const size = box.getSize(new THREE.Vector3());
  const centre = box.getCenter(new THREE.Vector3());
  const reach = Math.max(size.x, size.y, 0.4 * size.z, 0.05);
  const step = 10 ** Math.floor(Math.log10(reach / 2));
  const half = Math.max(Math.ceil((0.85 * reach) / step), 2);
  const x0 = Math.round(centre.x / step);
  const y0 = Math.round(centre.y / step);
  const points: number[] = [];
  const colours: number[] = [];
  const fine = dark ? [0.55, 0.62, 0.7, 0.13] : [0.3, 0.38, 0.46, 0.16];
  const bold = dark ? [0.6, 0.68, 0.76, 0.3] : [0.25, 0.33, 0.41, 0.34];
  for (let i = -half; i <= half; i++) {
    const ends = [
      [(x0 + i) * step, (y0 - half) * step, (x0 + i) * step, (y0 + half) * step, x0 + i],
      [(x0 - half) * step, (y0 + i) * step, (x0 + half) * step, (y0 + i) * step, y0 + i],
    ] as const;
    for (const [ax, ay, bx, by, number] of ends) {
      points.push(ax, ay, 0, bx, by, 0);
      const colour = number % 5 === 0 ? bold : fine;
      colours.push(...colour, ...colour);
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
  geometry.setAttribute("color", new THREE.Float32BufferAttribute(colours, 4));
  const lines = new THREE.LineSegments(
    geometry, new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }),
  );
  lines.position.z = box.min.z - 0.06 * reach;
  lines.userData = { x: (x0 - half) * step, y: (y0 - half) * step, step };
  lines.renderOrder = -1;
  return lines;
}
