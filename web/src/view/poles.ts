// Poles that cables keep out of: plain round bars, as long as the scene around them.

import * as THREE from "three";
import type { SceneView } from "../protocol";

const COLOUR = 0xc9b48c;

export class Poles {
  readonly group = new THREE.Group();
  private readonly material = new THREE.MeshPhongMaterial({ color: COLOUR, shininess: 10 });

  /** Draws the poles of a scene whose cables lie in `box`. */
  setScene(scene: SceneView, box: THREE.Box3): void {
    for (const bar of this.group.children as THREE.Mesh[]) bar.geometry.dispose();
    this.group.clear();
    const centre = box.isEmpty() ? new THREE.Vector3() : box.getCenter(new THREE.Vector3());
    const size = box.isEmpty() ? 1 : box.getSize(new THREE.Vector3()).length();
    const thickest = scene.cables.reduce((most, cable) => Math.max(most, cable.radius), 0);
    for (const pole of scene.poles) {
      const axis = new THREE.Vector3().fromArray(pole.axis);
      const through = new THREE.Vector3().fromArray(pole.through);
      // The centre of a cable keeps the radius: the surface lies below by its thickness, where that leaves anything.
      const radius = Math.max(pole.radius - thickest, pole.radius / 2);
      const bar = new THREE.Mesh(new THREE.CylinderGeometry(radius, radius, size + 2 * pole.radius, 48), this.material);
      bar.position.copy(through).addScaledVector(axis, centre.clone().sub(through).dot(axis));
      bar.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), axis);
      this.group.add(bar);
    }
  }
}
