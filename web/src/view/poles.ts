// Poles that cables cannot enter: plain round bars, as long as the scene around them.

import * as THREE from "three";
import type { SceneView } from "../protocol";

const COLOUR = new THREE.Color(0xc9b48c);
const WHITE = new THREE.Color(1, 1, 1);

type Bar = THREE.Mesh<THREE.CylinderGeometry, THREE.MeshPhongMaterial>;

export class Poles {
  readonly group = new THREE.Group();
  private readonly bars = new Map<string, Bar>();

  /** Draws the poles of a scene whose cables lie in `box`. */
  setScene(scene: SceneView, box: THREE.Box3): void {
    for (const bar of this.bars.values()) {
      bar.geometry.dispose();
      bar.material.dispose();
    }
    this.group.clear();
    this.bars.clear();
    const centre = box.isEmpty() ? new THREE.Vector3() : box.getCenter(new THREE.Vector3());
    const size = box.isEmpty() ? 1 : box.getSize(new THREE.Vector3()).length();
    for (const pole of scene.poles) {
      const axis = new THREE.Vector3().fromArray(pole.axis);
      const through = new THREE.Vector3().fromArray(pole.through);
      const bar: Bar = new THREE.Mesh(
        new THREE.CylinderGeometry(pole.radius, pole.radius, size + 2 * pole.radius, 48),
        new THREE.MeshPhongMaterial({ color: COLOUR, shininess: 10 }),
      );
      bar.position.copy(through).addScaledVector(axis, centre.clone().sub(through).dot(axis));
      bar.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), axis);
      bar.updateMatrixWorld();
      this.bars.set(pole.name, bar);
      this.group.add(bar);
    }
  }

  /** Colours what is under the pointer or selected; takes away what is hidden. */
  setShown(hidden: ReadonlySet<string>, hovered: string | null, selected: string | null, accent: THREE.Color): void {
    for (const [name, bar] of this.bars) {
      bar.visible = !hidden.has(name);
      bar.material.color.copy(COLOUR);
      // Large as it is, the accent alone would outshine the cables.
      if (name === selected) bar.material.color.lerp(accent, 0.5);
      else if (name === hovered) bar.material.color.lerp(WHITE, 0.35);
    }
  }

  /** The pole that a ray meets first. */
  hit(raycaster: THREE.Raycaster): { name: string; distance: number; position: THREE.Vector3 } | null {
    let best: { name: string; distance: number; position: THREE.Vector3 } | null = null;
    for (const [name, bar] of this.bars) {
      const met = bar.visible ? raycaster.intersectObject(bar, false)[0] : undefined;
      if (met && met.distance < (best?.distance ?? Infinity)) best = { name, distance: met.distance, position: met.point };
    }
    return best;
  }
}
