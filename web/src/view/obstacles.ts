// What cables cannot enter: shapes and meshes, where the frame has them, and the forces with which they press.

import * as THREE from "three";
import type { App } from "../app";
import { address } from "../connection";
import type { Contact, Obstacle, SceneView } from "../protocol";
import type { Stage } from "./stage";
import type { Things } from "./things";

const COLOUR = new THREE.Color(0x93a1af);
const WHITE = new THREE.Color(1, 1, 1);
const FORCE = new THREE.Color(0xff7a45);

type Solid = THREE.Mesh<THREE.BufferGeometry, THREE.MeshPhongMaterial>;

/** Where a ray meets an obstacle first. */
export interface Met {
  name: string;
  distance: number;
  position: THREE.Vector3;
  /** Out of the surface, towards the eye. */
  normal: THREE.Vector3;
}

/** Forces beyond these are not drawn. */
const MOST_FORCES = 512;

export class Obstacles {
  readonly group = new THREE.Group();
  private readonly solids = new Map<string, { solid: Solid; shape: string }>();
  /** Meshes that were fetched, by key. */
  private readonly fetched = new Map<string, Promise<THREE.BufferGeometry | null>>();
  private readonly forces: THREE.LineSegments;
  private size = 1;

  constructor(private readonly app: App, private readonly stage: Stage, private readonly things: Things) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(new Float32Array(18 * MOST_FORCES), 3));
    this.forces = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: FORCE, depthTest: false, transparent: true }));
    this.forces.frustumCulled = false;
    this.forces.renderOrder = 4;
    this.group.add(this.forces);
    app.on("options", () => this.look());
  }

  /** Draws the obstacles of a scene whose cables lie in `box`. */
  setScene(scene: SceneView, box: THREE.Box3): void {
    const size = box.isEmpty() ? 1 : box.getSize(new THREE.Vector3()).length();
    this.size = size;
    const names = new Set(scene.obstacles.map(({ name }) => name));
    for (const [name, { solid }] of this.solids) if (!names.has(name)) this.drop(name, solid);
    for (const obstacle of scene.obstacles) {
      // What has no end is as long as the scene, and stays so while that changes a little.
      const reach = 2 ** Math.ceil(Math.log2(2 * size));
      const shape = JSON.stringify([obstacle, reach]);
      const old = this.solids.get(obstacle.name);
      if (old?.shape === shape) continue;
      if (old) this.drop(obstacle.name, old.solid);
      const material = new THREE.MeshPhongMaterial({ color: COLOUR, shininess: 18, side: THREE.DoubleSide });
      const solid: Solid = new THREE.Mesh(geometryOf(obstacle, reach) ?? new THREE.BufferGeometry(), material);
      solid.name = obstacle.name;
      solid.userData["endless"] = obstacle.form === "plane" || obstacle.form === "tube";
      this.solids.set(obstacle.name, { solid, shape });
      this.group.add(solid);
      if (obstacle.mesh !== null) void this.load(obstacle.mesh, obstacle.name, solid);
    }
    this.look();
  }

  private drop(name: string, solid: Solid): void {
    this.group.remove(solid);
    solid.material.dispose();
    this.solids.delete(name);
  }

  private async load(key: string, name: string, solid: Solid): Promise<void> {
    let made = this.fetched.get(key);
    if (!made) {
      made = this.fetch(key, name);
      this.fetched.set(key, made);
    }
    const geometry = await made;
    if (!geometry) {
      this.fetched.delete(key);
      return;
    }
    solid.geometry = geometry;
    this.stage.draw();
  }

  private async fetch(key: string, name: string): Promise<THREE.BufferGeometry | null> {
    try {
      const answer = await fetch(address(`/api/sessions/${encodeURIComponent(this.app.session)}/mesh/${key}`));
      if (!answer.ok) throw new Error(`The mesh of “${name}” could not be fetched: ${answer.status}.`);
      return read(await answer.arrayBuffer());
    } catch (error) {
      this.app.notice(error instanceof Error ? error.message : String(error), "error");
      return null;
    }
  }

  private look(): void {
    for (const { solid } of this.solids.values()) {
      const through = this.app.options.translucent || solid.userData["endless"] === true;
      solid.material.transparent = through;
      solid.material.opacity = through ? 0.34 : 1;
      solid.material.depthWrite = !through;
      solid.material.needsUpdate = true;
    }
    this.stage.draw();
  }

  /** Puts everything where the things of the same names are, and the forces where cables are pressed. */
  setFrame(contacts: readonly Contact[]): void {
    for (const [name, { solid }] of this.solids) {
      const one = this.things.find(name);
      if (!one) continue;
      solid.position.copy(one.position);
      solid.quaternion.copy(one.turn);
      solid.updateMatrixWorld();
    }
    this.setForces(contacts.filter(({ cable, by }) => !this.app.hidden.has(cable) && !this.app.hidden.has(by)));
  }

  /** Arrows out of the surface, the longest a tenth of the scene. */
  private setForces(contacts: readonly Contact[]): void {
    const points = this.forces.geometry.getAttribute("position") as THREE.BufferAttribute;
    const force = (contact: Contact): number => Math.hypot(...contact.force);
    const largest = contacts.reduce((most, contact) => Math.max(most, force(contact)), 0);
    let used = 0;
    const line = (from: THREE.Vector3, to: THREE.Vector3): void => {
      points.setXYZ(used++, from.x, from.y, from.z);
      points.setXYZ(used++, to.x, to.y, to.z);
    };
    for (const contact of contacts.slice(0, MOST_FORCES)) {
      if (largest <= 0) break;
      const length = 0.1 * this.size * (0.25 + 0.75 * (force(contact) / largest));
      FROM.fromArray(contact.position);
      WAY.fromArray(contact.force).normalize();
      TO.copy(FROM).addScaledVector(WAY, length);
      SIDE.set(0, 0, 1).cross(WAY);
      if (SIDE.lengthSq() < 1e-6) SIDE.set(1, 0, 0);
      SIDE.normalize();
      line(FROM, TO);
      for (const sign of [1, -1]) line(TO, HEAD.copy(TO).addScaledVector(WAY, -0.25 * length).addScaledVector(SIDE, 0.1 * sign * length));
    }
    points.needsUpdate = true;
    this.forces.geometry.setDrawRange(0, used);
    this.forces.visible = used > 0;
  }

  /** Colours what is under the pointer or selected; takes away what is hidden. */
  setShown(hidden: ReadonlySet<string>, hovered: string | null, selected: string | null, accent: THREE.Color): void {
    for (const [name, { solid }] of this.solids) {
      solid.visible = !hidden.has(name);
      solid.material.color.copy(COLOUR);
      // Large as it is, the accent alone would outshine the cables.
      if (name === selected) solid.material.color.lerp(accent, 0.5);
      else if (name === hovered) solid.material.color.lerp(WHITE, 0.3);
    }
  }

  /** The obstacle that a ray meets first. */
  hit(raycaster: THREE.Raycaster): Met | null {
    let best: Met | null = null;
    for (const [name, { solid }] of this.solids) {
      const met = solid.visible && solid.geometry.getAttribute("position") ? raycaster.intersectObject(solid, false)[0] : undefined;
      if (!met || met.distance >= (best?.distance ?? Infinity)) continue;
      const normal = (met.face?.normal ?? new THREE.Vector3(0, 0, 1)).clone().transformDirection(solid.matrixWorld);
      if (normal.dot(raycaster.ray.direction) > 0) normal.negate();
      best = { name, distance: met.distance, position: met.point, normal };
    }
    return best;
  }

  /** The corners of the boxes around what has an end. */
  corners(): THREE.Vector3[] {
    return [...this.solids.values()].filter(({ solid }) => solid.userData["endless"] !== true).flatMap(({ solid }) => {
      if (!solid.geometry.getAttribute("position")) return [];
      if (!solid.geometry.boundingBox) solid.geometry.computeBoundingBox();
      const box = solid.geometry.boundingBox as THREE.Box3;
      // What is far larger than the cables does not make them small.
      if (box.getSize(TO).length() > 3 * this.size) return [];
      const at = (k: number): THREE.Vector3 =>
        new THREE.Vector3(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z);
      return Array.from({ length: 8 }, (_, k) => at(k).applyMatrix4(solid.matrixWorld));
    });
  }
}

const FROM = new THREE.Vector3();
const TO = new THREE.Vector3();
const WAY = new THREE.Vector3();
const SIDE = new THREE.Vector3();
const HEAD = new THREE.Vector3();

/** A shape in its own axes, bars along z; what has no end reaches as far as `reach`. `null` for a mesh. */
function geometryOf({ form, radius, length, size }: Obstacle, reach: number): THREE.BufferGeometry | null {
  const r = radius ?? 0;
  switch (form) {
    case "plane":
      return new THREE.PlaneGeometry(reach, reach);
    case "sphere":
      return new THREE.SphereGeometry(r, 48, 32);
    case "cylinder":
      return new THREE.CylinderGeometry(r, r, length ?? reach, 64).rotateX(Math.PI / 2);
    case "capsule":
      return new THREE.CapsuleGeometry(r, length ?? 0, 16, 48).rotateX(Math.PI / 2);
    case "box":
      return new THREE.BoxGeometry(...(size ?? [0, 0, 0]));
    case "tube":
      return new THREE.CylinderGeometry(r, r, reach, 64, 1, true).rotateX(Math.PI / 2);
    case "mesh":
      return null;
  }
}

/** Faces keep their edges: corners are not shared between triangles. */
function read(buffer: ArrayBuffer): THREE.BufferGeometry {
  const head = new DataView(buffer);
  const vertices = head.getUint32(0, true);
  const triangles = head.getUint32(4, true);
  if (buffer.byteLength !== 8 + vertices * 12 + triangles * 12) throw new Error("The mesh did not arrive whole.");
  const shared = new THREE.BufferGeometry();
  shared.setAttribute("position", new THREE.BufferAttribute(new Float32Array(buffer, 8, vertices * 3), 3));
  shared.setIndex(new THREE.BufferAttribute(new Uint32Array(buffer, 8 + vertices * 12, triangles * 3), 1));
  const faces = shared.toNonIndexed();
  faces.computeVertexNormals();
  return faces;
}
