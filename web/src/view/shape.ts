// The shape of the cables as numbers: the page's own copy of the newest frame, asked by place and by ray.

import * as THREE from "three";
import type { Frame } from "../frame";
import type { Cable, SceneView } from "../protocol";

export interface Place {
  cable: string;
  /** Arc length, m. */
  at: number;
  position: THREE.Vector3;
}

export class Shape {
  scene: SceneView | null = null;
  frame: Frame | null = null;

  cable(name: string): Cable | undefined {
    return this.scene?.cables.find((cable) => cable.name === name);
  }

  /** True when the frame has the nodes of the scene. */
  valid(): boolean {
    const { scene, frame } = this;
    return scene !== null && frame !== null && scene.revision === frame.revision;
  }

  node(index: number, target: THREE.Vector3): THREE.Vector3 {
    return target.fromArray(this.frame?.points ?? [0, 0, 0, 0], index * 4);
  }

  /** Position and frame at an arc length; between nodes as the tubes are drawn. */
  station(cable: Cable, at: number, position: THREE.Vector3, turn?: THREE.Quaternion): boolean {
    const frame = this.frame;
    if (!frame || cable.count < 2 || (cable.first + cable.count) * 4 > frame.points.length) return false;
    const points = frame.points;
    const arc = (i: number) => points[(cable.first + i) * 4 + 3] as number;
    let low = 0;
    let high = cable.count - 2;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (arc(middle) <= at) low = middle;
      else high = middle - 1;
    }
    const length = Math.max(arc(low + 1) - arc(low), 1e-9);
    const t = Math.min(Math.max((at - arc(low)) / length, 0), 1);
    const i = cable.first + low;
    QA.fromArray(frame.frames, i * 4);
    QB.fromArray(frame.frames, i * 4 + 4);
    if (QA.dot(QB) < 0) QB.set(-QB.x, -QB.y, -QB.z, -QB.w);
    const t2 = t * t;
    const t3 = t2 * t;
    this.node(i, position).multiplyScalar(2 * t3 - 3 * t2 + 1);
    position.addScaledVector(this.node(i + 1, V), 3 * t2 - 2 * t3);
    position.addScaledVector(V.set(0, 0, 1).applyQuaternion(QA), (t3 - 2 * t2 + t) * length);
    position.addScaledVector(V.set(0, 0, 1).applyQuaternion(QB), (t3 - t2) * length);
    turn?.set(
      QA.x + (QB.x - QA.x) * t, QA.y + (QB.y - QA.y) * t, QA.z + (QB.z - QA.z) * t, QA.w + (QB.w - QA.w) * t,
    ).normalize();
    return true;
  }

  /** The place of a cable that is nearest to a point, and how the cable runs there. */
  nearest(cable: Cable, point: THREE.Vector3): { at: number; tangent: THREE.Vector3 } | null {
    const { frame } = this;
    if (!frame || cable.count < 2 || !this.valid()) return null;
    let best = Infinity;
    let found: { at: number; tangent: THREE.Vector3 } | null = null;
    for (let i = cable.first; i < cable.first + cable.count - 1; i++) {
      const from = this.node(i, new THREE.Vector3());
      const way = this.node(i + 1, new THREE.Vector3()).sub(from);
      const share = Math.min(Math.max(V.copy(point).sub(from).dot(way) / Math.max(way.lengthSq(), 1e-18), 0), 1);
      const distance = V.copy(from).addScaledVector(way, share).distanceTo(point);
      if (distance >= best) continue;
      best = distance;
      const [a, b] = [i, i + 1].map((k) => frame.points[4 * k + 3] as number) as [number, number];
      found = { at: a + (b - a) * share, tangent: way.normalize() };
    }
    return found;
  }

  /** The size of everything. */
  bounds(target: THREE.Box3): THREE.Box3 {
    target.makeEmpty();
    const { scene, frame } = this;
    if (!scene || !frame) return target;
    for (let i = 0; i < frame.nodes; i++) target.expandByPoint(this.node(i, V));
    for (let i = 0; i < frame.poses; i++) target.expandByPoint(V.fromArray(frame.anchors, i * 8));
    const widest = scene.cables.reduce((most, cable) => Math.max(most, cable.radius), 0);
    return target.isEmpty() ? target : target.expandByScalar(widest);
  }

  /** Every node, and where things are: what a picture has to hold. */
  points(): THREE.Vector3[] {
    const { frame } = this;
    if (!frame) return [];
    const nodes = Array.from({ length: frame.nodes }, (_, i) => this.node(i, new THREE.Vector3()));
    return [...nodes, ...Array.from({ length: frame.poses }, (_, i) => new THREE.Vector3().fromArray(frame.anchors, i * 8))];
  }

  /** Some places on the surfaces of the cables, all around: a thick one reaches further than its nodes. */
  surface(): THREE.Vector3[] {
    const { scene, frame } = this;
    if (!scene || !frame) return [];
    return scene.cables.flatMap(({ first, count, radius }) => {
      const step = Math.max(1, Math.floor(count / 16));
      const nodes = Array.from({ length: Math.ceil(count / step) + 1 }, (_, i) => first + Math.min(i * step, count - 1));
      return nodes.filter((node) => node < frame.nodes).flatMap((node) =>
        [0, 1, 2].flatMap((axis) => [-radius, radius].map((off) => {
          const at = this.node(node, new THREE.Vector3());
          return at.setComponent(axis, at.getComponent(axis) + off);
        })));
    });
  }

  /**
   * The cable under a ray: the nearest to the eye of those that the ray meets within their radius or `slack` (world
   * units per unit of distance from the eye, plus a constant).
   */
  hit(ray: THREE.Ray, hidden: ReadonlySet<string>, slack: { constant: number; perDistance: number }): Place | null {
    const { scene, frame } = this;
    if (!scene || !frame || !this.valid()) return null;
    let best: Place | null = null;
    let nearest = Infinity;
    const { origin: o, direction: d } = ray;
    for (const cable of scene.cables) {
      if (hidden.has(cable.name)) continue;
      const last = Math.min(cable.first + cable.count, frame.nodes) - 1;
      for (let i = cable.first; i < last; i++) {
        const k = i * 4;
        const p = frame.points;
        const ax = (p[k] as number) - o.x, ay = (p[k + 1] as number) - o.y, az = (p[k + 2] as number) - o.z;
        const bx = (p[k + 4] as number) - o.x, by = (p[k + 5] as number) - o.y, bz = (p[k + 6] as number) - o.z;
        const ux = bx - ax, uy = by - ay, uz = bz - az;
        // Closest points of a line and a segment.
        const uu = ux * ux + uy * uy + uz * uz;
        const ud = ux * d.x + uy * d.y + uz * d.z;
        const au = ax * ux + ay * uy + az * uz;
        const ad = ax * d.x + ay * d.y + az * d.z;
        const below = uu - ud * ud;
        const t = below > 1e-14 * uu ? Math.min(Math.max((ud * ad - au) / below, 0), 1) : 0;
        const x = ax + t * ux, y = ay + t * uy, z = az + t * uz;
        const along = x * d.x + y * d.y + z * d.z;
        if (along <= 0) continue;
        const off2 = x * x + y * y + z * z - along * along;
        const reach = Math.max(cable.radius, slack.constant + slack.perDistance * along);
        if (off2 > reach * reach) continue;
        // Of two cables behind each other the front one; of two places on one cable the one nearer to the ray.
        const score = along + 2 * Math.sqrt(Math.max(off2, 0));
        if (score < nearest) {
          nearest = score;
          const at = (p[k + 3] as number) + t * ((p[k + 7] as number) - (p[k + 3] as number));
          best = { cable: cable.name, at, position: new THREE.Vector3(x + o.x, y + o.y, z + o.z) };
        }
      }
    }
    return best;
  }

  /** The place on any cable nearest to a point, within a reach. */
  near(point: THREE.Vector3, hidden: ReadonlySet<string>, reach: number): Place | null {
    const { scene, frame } = this;
    if (!scene || !frame || !this.valid()) return null;
    let best: Place | null = null;
    let nearest = reach;
    for (const cable of scene.cables) {
      if (hidden.has(cable.name)) continue;
      for (let i = cable.first; i + 1 < cable.first + cable.count; i++) {
        const a = this.node(i, A);
        const b = this.node(i + 1, B);
        LINE.set(a, b);
        const t = LINE.closestPointToPointParameter(point, true);
        LINE.at(t, V);
        const distance = Math.max(V.distanceTo(point) - cable.radius, 0);
        if (distance >= nearest) continue;
        nearest = distance;
        const s0 = frame.points[i * 4 + 3] as number;
        const s1 = frame.points[i * 4 + 7] as number;
        best = { cable: cable.name, at: s0 + t * (s1 - s0), position: V.clone() };
      }
    }
    return best;
  }
}

const V = new THREE.Vector3();
const A = new THREE.Vector3();
const B = new THREE.Vector3();
const QA = new THREE.Quaternion();
const QB = new THREE.Quaternion();
const LINE = new THREE.Line3();
