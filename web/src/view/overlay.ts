// What is drawn over the cables: names beside things, a place on a cable, failing checks, measured lengths.

import * as THREE from "three";
import type { App } from "../app";
import type { Vector } from "../protocol";
import { element, short } from "./legend";
import type { Shape } from "./shape";
import type { Stage } from "./stage";
import type { Things } from "./things";

/** Words that stay beside a point of the scene. */
class Labels {
  /** With what is written in them: asking an element costs more than remembering. */
  private pool: { element: HTMLElement; text: string; className: string; where: string }[] = [];
  private used = 0;
  /** How many were shown in the last drawing. */
  private shown = 0;

  constructor(private readonly stage: Stage, private readonly root: HTMLElement) {}

  begin(): void {
    this.used = 0;
  }

  put(text: string, at: THREE.Vector3, className = ""): void {
    const pixel = this.stage.project(at);
    if (!pixel) return;
    let label = this.pool[this.used];
    if (!label) {
      label = { element: element("div", "label"), text: "", className: "", where: "" };
      this.pool.push(label);
      this.root.append(label.element);
    }
    if (this.used++ >= this.shown) label.element.hidden = false;
    if (label.className !== className) label.element.className = className ? `label ${className}` : "label";
    label.className = className;
    if (label.text !== text) label.element.textContent = label.text = text;
    // Near the right edge it stands on the other side of its point.
    const left = pixel.x + 12 + 7 * text.length > this.stage.size.x;
    const x = left ? `calc(${Math.round(pixel.x - 12)}px - 100%)` : `${Math.round(pixel.x + 12)}px`;
    const where = `translate(${x}, ${Math.round(pixel.y - 24)}px)`;
    if (label.where !== where) label.element.style.transform = label.where = where;
  }

  end(): void {
    for (const label of this.pool.slice(this.used, this.shown)) label.element.hidden = true;
    this.shown = this.used;
  }
}

/** Contacts beyond these are not told. */
const MOST_TOLD = 12;

/** Marks beyond these are not drawn: so many say nothing any more. */
const MOST_MARKS = 256;

const MARK_VERTEX = /* glsl */ `
in vec4 tint;
out vec4 vTint;
uniform float ratio;
void main() {
  vTint = tint;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  gl_Position.z -= 0.002 * gl_Position.w;
  gl_PointSize = ratio * (tint.a > 0.75 ? 22.0 : 14.0);
}
`;

const MARK_FRAGMENT = /* glsl */ `
precision highp float;
in vec4 vTint;
out vec4 colour;
void main() {
  float r = length(gl_PointCoord - 0.5) * 2.0;
  float soft = fwidth(r);
  float ring = smoothstep(1.0, 1.0 - soft, r) * smoothstep(0.72 - soft, 0.72, r);
  float core = smoothstep(0.34, 0.34 - soft, r);
  float alpha = max(max(ring, core), 0.25 * step(r, 0.72));
  if (alpha < 0.02) discard;
  colour = vec4(vTint.rgb, alpha);
}
`;

export class Overlay {
  /** Two points that are measured. */
  measured: [THREE.Vector3, THREE.Vector3 | null] | null = null;
  /** The first of two clicks. */
  first: THREE.Vector3 | null = null;
  /** What is being done, said beside the place. */
  saying: { text: string; at: THREE.Vector3 } | null = null;
  private readonly labels: Labels;
  private readonly marks: THREE.Points;
  private readonly line: THREE.Line;
  private readonly pull: THREE.Line;
  private hover: { cable: string; at: number } | null = null;

  constructor(
    private readonly app: App, stage: Stage, private readonly shape: Shape,
    private readonly things: Things,
  ) {
    this.labels = new Labels(stage, document.getElementById("labels") as HTMLElement);
    this.marks = new THREE.Points(
      new THREE.BufferGeometry(),
      new THREE.ShaderMaterial({
        vertexShader: MARK_VERTEX, fragmentShader: MARK_FRAGMENT, glslVersion: THREE.GLSL3, transparent: true,
        depthTest: false, uniforms: { ratio: { value: window.devicePixelRatio } },
      }),
    );
    this.marks.geometry.setAttribute("position", new THREE.Float32BufferAttribute(new Float32Array(3 * MOST_MARKS), 3));
    this.marks.geometry.setAttribute("tint", new THREE.Float32BufferAttribute(new Float32Array(4 * MOST_MARKS), 4));
    this.line = straight(0x4fb3ff);
    this.pull = straight(0xffc857);
    for (const one of [this.marks, this.line, this.pull]) {
      one.frustumCulled = false;
      one.renderOrder = 5;
      stage.world.add(one);
    }
    app.on("findings", () => stage.draw());
    app.on("hover", (hover) => {
      this.hover = hover;
      stage.draw();
    });
  }

  /** A line from a place on the cable to where the hand is. */
  setPull(from: THREE.Vector3 | null, to: THREE.Vector3 | null): void {
    this.pull.visible = from !== null && to !== null;
    if (from && to) span(this.pull, from, to);
  }

  /** A line leads to the pointer now. */
  get banded(): boolean {
    return this.pull.visible;
  }

  /** What presses how hard; where nothing does, how near the nearest obstacle is. */
  private tellContact(): void {
    const trailer = this.shape.frame?.trailer;
    if (!trailer || !this.shape.valid() || this.saying) return;
    const seen = trailer.contacts.filter(({ cable, by }) => !this.app.hidden.has(cable) && !this.app.hidden.has(by));
    const pairs = new Map<string, { by: string; force: number; most: number; at: Vector }>();
    for (const { cable, by, force, position } of seen) {
      const size = Math.hypot(...force);
      const own = pairs.get(`${cable} ${by}`) ?? { by, force: 0, most: 0, at: position };
      own.force += size;
      if (size > own.most) [own.most, own.at] = [size, position];
      pairs.set(`${cable} ${by}`, own);
    }
    for (const { by, force, at } of [...pairs.values()].slice(0, MOST_TOLD)) this.labels.put(`${short(force)} N on ${by}`, V.fromArray(at), "contact");
    const { clearance } = trailer;
    if (pairs.size > 0 || !clearance || this.app.hidden.has(clearance.obstacle) || this.app.hidden.has(clearance.cable)) return;
    this.labels.put(`${short(clearance.gap * 1000)} mm to ${clearance.obstacle}`, V.fromArray(clearance.position), "contact");
  }

  update(hoveredThing: string | null): void {
    const { app, shape, labels } = this;
    labels.begin();
    const points = this.marks.geometry.getAttribute("position") as THREE.BufferAttribute;
    const tints = this.marks.geometry.getAttribute("tint") as THREE.BufferAttribute;
    let marked = 0;
    const mark = (at: THREE.Vector3, colour: THREE.Color, size: number) => {
      if (marked >= MOST_MARKS) return;
      points.setXYZ(marked, at.x, at.y, at.z);
      tints.setXYZW(marked++, colour.r, colour.g, colour.b, size);
    };
    for (const finding of app.findings) {
      // What concerns the whole has no place: its mark would blame whatever happens to be there.
      if ((finding.verdict !== "warn" && finding.verdict !== "fail") || finding.cable === null || app.hidden.has(finding.cable)) continue;
      // The cable may have moved since it was checked.
      const cable = shape.cable(finding.cable);
      if (!cable || !shape.station(cable, finding.s, V)) V.fromArray(finding.position);
      mark(V, finding.verdict === "fail" ? BAD : WARN, 1);
    }
    const place = this.hover;
    const cable = place ? shape.cable(place.cable) : undefined;
    if (place && cable && !app.hidden.has(cable.name) && shape.station(cable, place.at, V)) mark(V, MARK, 0.5);
    const chosen = app.selection;
    if (chosen && "cable" in chosen && chosen.at !== undefined) {
      const own = shape.cable(chosen.cable);
      if (own && shape.station(own, chosen.at, V)) {
        mark(V, CHOSEN, 0.5);
        if (!this.saying) labels.put(`${own.name || "cable"} · ${short(chosen.at * 1000)} mm`, V);
      }
    }
    const selected = chosen && "thing" in chosen ? chosen.thing : null;
    for (const one of this.things.drawn) {
      const { name } = one.thing;
      if (app.hidden.has(name)) continue;
      if (app.options.labels || name === hoveredThing || name === selected) labels.put(name, one.position);
    }
    this.tellContact();
    if (app.tool.name === "flexible") {
      for (const spot of app.tool.spots) mark(V.fromArray(spot), WARN, 1);
    }
    if (this.first) {
      mark(this.first, CHOSEN, 1);
      const { tool } = app;
      if (tool.name === "cable" || tool.name === "lengthen") labels.put(tool.name === "cable" ? `from ${tool.from ?? ""}` : "from here", this.first, "measure");
    }
    if (this.measured) {
      const [from, to] = this.measured;
      mark(from, CHOSEN, 0.5);
      if (to) {
        mark(to, CHOSEN, 0.5);
        V.copy(to).sub(from);
        // Below a micrometre there is nothing to be measured here.
        const parts = [V.x, V.y, V.z].map((x) => short(Math.abs(x) < 1e-6 ? 0 : x * 1000)).join(", ");
        labels.put(`${short(V.length() * 1000)} mm  (${parts})`, V.copy(from).add(to).multiplyScalar(0.5), "measure");
      }
    }
    this.line.visible = this.measured?.[1] !== null && this.measured !== null;
    if (this.measured?.[1]) span(this.line, this.measured[0], this.measured[1]);
    if (this.saying) labels.put(this.saying.text, this.saying.at);
    labels.end();
    points.needsUpdate = tints.needsUpdate = true;
    this.marks.geometry.setDrawRange(0, marked);
    this.marks.visible = marked > 0;
  }
}

function straight(colour: number): THREE.Line {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute([0, 0, 0, 0, 0, 0], 3));
  const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: colour, depthTest: false, transparent: true }));
  line.visible = false;
  return line;
}

function span(line: THREE.Line, from: THREE.Vector3, to: THREE.Vector3): void {
  const points = line.geometry.getAttribute("position");
  points.setXYZ(0, from.x, from.y, from.z);
  points.setXYZ(1, to.x, to.y, to.z);
  points.needsUpdate = true;
}

const V = new THREE.Vector3();
const BAD = new THREE.Color(0xff5a50);
const WARN = new THREE.Color(0xf2b84b);
const MARK = new THREE.Color(0xffffff);
const CHOSEN = new THREE.Color(0x4fb3ff);
