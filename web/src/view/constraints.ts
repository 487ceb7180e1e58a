// What keeps points together or in their place, drawn: bars that keep a distance, strings, and the planes, lines, circles and
// paths that a point stays on. Their geometry stands in the file, as text; it moves with what it is on.

import * as THREE from "three";
import { toSi } from "../panels/units";
import type { Frame } from "../frame";
import type { SceneView, TableView } from "../protocol";

const BAR = new THREE.Color(0xa9927a);
const GUIDE = new THREE.Color(0x8f7fd0);

/** A bar between two points. */
interface Bar {
  name: string;
  from: (frame: Frame, out: THREE.Vector3) => boolean;
  to: (frame: Frame, out: THREE.Vector3) => boolean;
  radius: number;
}

/** A line of points that goes with a thing, or stays. */
interface Guide {
  points: (frame: Frame) => THREE.Vector3[];
  count: number;
}

export class Constraints {
  readonly group = new THREE.Group();
  private bars: Bar[] = [];
  private guides: Guide[] = [];
  private mesh: THREE.InstancedMesh | null = null;
  private readonly material = new THREE.MeshPhongMaterial({ shininess: 20 });
  private readonly lines = new THREE.LineSegments(
    new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: GUIDE, transparent: true, opacity: 0.75 }),
  );

  constructor() {
    this.lines.frustumCulled = false;
    this.group.add(this.lines);
  }

  setScene(scene: SceneView, size: number): void {
    const made = scene.tables.filter((table) => table.kind === "constraint");
    this.bars = made.flatMap((table) => barOf(scene, table, size) ?? []);
    this.guides = made.flatMap((table) => guideOf(scene, table, size) ?? []);
    if (this.mesh) {
      this.group.remove(this.mesh);
      this.mesh.dispose();
      this.mesh = null;
    }
    if (this.bars.length > 0) {
      this.mesh = new THREE.InstancedMesh(UNIT_BAR, this.material, this.bars.length);
      this.mesh.frustumCulled = false;
      this.group.add(this.mesh);
    }
    const segments = this.guides.reduce((sum, { count }) => sum + 2 * (count - 1), 0);
    this.lines.geometry.dispose();
    this.lines.geometry = new THREE.BufferGeometry();
    this.lines.geometry.setAttribute("position", new THREE.Float32BufferAttribute(new Float32Array(3 * segments), 3));
    this.lines.visible = segments > 0;
  }

  /** Bars that are drawn. */
  get count(): number {
    return this.mesh?.count ?? 0;
  }

  setFrame(frame: Frame): void {
    this.bars.forEach(({ from, to, radius }, index) => {
      if (!from(frame, A) || !to(frame, B)) M.makeScale(0, 0, 0);
      else {
        const length = A.distanceTo(B);
        Q.setFromUnitVectors(Y, length > 0 ? V.copy(B).sub(A).divideScalar(length) : Y);
        M.compose(V.copy(A).add(B).multiplyScalar(0.5), Q, S.set(radius, length, radius));
      }
      this.mesh?.setMatrixAt(index, M);
    });
    if (this.mesh) this.mesh.instanceMatrix.needsUpdate = true;
    const positions = this.lines.geometry.getAttribute("position") as THREE.BufferAttribute;
    let at = 0;
    for (const { points, count } of this.guides) {
      const all = points(frame);
      for (let i = 0; i + 1 < count; i++) {
        for (const point of [all[i], all[i + 1]]) positions.setXYZ(at++, point?.x ?? 0, point?.y ?? 0, point?.z ?? 0);
      }
    }
    positions.needsUpdate = true;
  }

  setShown(hidden: ReadonlySet<string>, selected: string | null, accent: THREE.Color): void {
    this.bars.forEach(({ name }, index) => {
      this.mesh?.setColorAt(index, name === selected ? accent : BAR);
      if (hidden.has(name)) this.mesh?.setMatrixAt(index, M.makeScale(0, 0, 0));
    });
    if (this.mesh?.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }
}

/** A bar where two points keep their distance, a thread where they only pull or push. */
function barOf(scene: SceneView, { name, keys }: TableView, size: number): Bar | null {
  const kind = String(keys["kind"]);
  if (!["distance", "string", "apart"].includes(kind)) return null;
  const rigid = kind === "distance" && (keys["sense"] ?? "equal") === "equal";
  const thick = scene.cables.reduce((most, cable) => Math.max(most, cable.radius), 0);
  const radius = rigid ? Math.max(0.8 * thick, 0.0022 * size) : 0.0009 * size;
  return { name, radius, from: pointOf(scene, keys["from"]), to: pointOf(scene, keys["to"]) };
}

/** Where a named thing is, or a point of the world. */
function pointOf(scene: SceneView, value: unknown): Bar["from"] {
  const fixed = vector(value);
  if (fixed) {
    return (_, out) => {
      out.copy(fixed);
      return true;
    };
  }
  const anchor = scene.things.find((thing) => thing.name === value)?.anchor ?? null;
  return (frame, out) => {
    if (anchor === null || anchor >= frame.poses) return false;
    out.fromArray(frame.anchors, anchor * 8);
    return true;
  };
}

/** A vector of the file: numbers, or lengths with their unit. */
function vector(value: unknown): THREE.Vector3 | null {
  if (!Array.isArray(value) || value.length !== 3) return null;
  const [x, y, z] = value.map(toSi);
  return typeof x === "number" && typeof y === "number" && typeof z === "number" ? new THREE.Vector3(x, y, z) : null;
}

function guideOf(scene: SceneView, { keys }: TableView, size: number): Guide | null {
  const point = pointOf(scene, keys["point"]);
  const on = scene.things.find((thing) => thing.name === keys["on"])?.anchor ?? null;
  /** From the axes of the file into the world. */
  const placed = (frame: Frame, points: THREE.Vector3[]): THREE.Vector3[] => {
    if (on === null || on >= frame.poses) return points;
    const turn = new THREE.Quaternion().fromArray(frame.anchors, on * 8 + 4);
    const shift = new THREE.Vector3().fromArray(frame.anchors, on * 8);
    return points.map((each) => each.clone().applyQuaternion(turn).add(shift));
  };
  /** Where the point is, in the axes of the file. */
  const local = (frame: Frame): THREE.Vector3 => {
    const at = new THREE.Vector3();
    point(frame, at);
    if (on === null || on >= frame.poses) return at;
    const turn = new THREE.Quaternion().fromArray(frame.anchors, on * 8 + 4).invert();
    return at.sub(new THREE.Vector3().fromArray(frame.anchors, on * 8)).applyQuaternion(turn);
  };
  switch (keys["kind"]) {
    case "line": {
      const [through, way] = [vector(keys["through"]) ?? new THREE.Vector3(), vector(keys["direction"])?.normalize()];
      if (!way) return null;
      return { count: 2, points: (frame) => {
        const foot = through.clone().addScaledVector(way, local(frame).sub(through).dot(way));
        return placed(frame, [-0.25, 0.25].map((share) => foot.clone().addScaledVector(way, share * size)));
      } };
    }
    case "plane": {
      const [through, normal] = [vector(keys["through"]) ?? new THREE.Vector3(), vector(keys["normal"])?.normalize()];
      if (!normal) return null;
      const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
      const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]].map(([x = 0, y = 0]) => new THREE.Vector3(x, y, 0).multiplyScalar(0.08 * size).applyQuaternion(turn));
      return { count: 5, points: (frame) => {
        const at = local(frame);
        const foot = at.addScaledVector(normal, through.clone().sub(at).dot(normal));
        return placed(frame, corners.map((corner) => corner.clone().add(foot)));
      } };
    }
    case "circle": {
      const [centre, axis, radius] = [vector(keys["centre"]) ?? new THREE.Vector3(), vector(keys["axis"])?.normalize(), toSi(keys["radius"])];
      if (!axis || radius === null) return null;
      const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), axis);
      const round = Array.from({ length: 65 }, (_, i) => new THREE.Vector3(Math.cos((i * Math.PI) / 32), Math.sin((i * Math.PI) / 32), 0)
        .multiplyScalar(radius).applyQuaternion(turn).add(centre));
      return { count: round.length, points: (frame) => placed(frame, round) };
    }
    case "path": {
      const given = Array.isArray(keys["points"]) ? keys["points"].map(vector).filter((each) => each !== null) : [];
      if (given.length < 2) return null;
      const way = new THREE.CatmullRomCurve3(given, keys["closed"] === true, "centripetal").getPoints(16 * given.length);
      return { count: way.length, points: (frame) => placed(frame, way) };
    }
    default:
      return null;
  }
}

const UNIT_BAR = new THREE.CylinderGeometry(1, 1, 1, 14);
const Y = new THREE.Vector3(0, 1, 0);
const A = new THREE.Vector3();
const B = new THREE.Vector3();
const V = new THREE.Vector3();
const S = new THREE.Vector3();
const Q = new THREE.Quaternion();
const M = new THREE.Matrix4();
