// Surroundings: meshes that were dropped onto the page, lit, opaque or to be seen through.

import * as THREE from "three";
import type { App } from "../app";
import { address } from "../connection";
import type { Stage } from "./stage";

export class Meshes {
  private readonly shown = new Map<number, THREE.Mesh>();
  private readonly wanted = new Set<number>();
  private readonly material = new THREE.MeshPhongMaterial({ color: 0x93a1af, shininess: 18, side: THREE.DoubleSide });

  constructor(private readonly app: App, private readonly stage: Stage) {
    app.on("scene", () => this.update());
    app.on("options", () => this.look());
    app.on("hidden", () => this.look());
    this.look();
  }

  /** Where a ray meets the surroundings first. */
  hit(raycaster: THREE.Raycaster): THREE.Vector3 | null {
    const seen = [...this.shown.values()].filter((mesh) => mesh.visible && mesh.parent);
    return raycaster.intersectObjects(seen, false)[0]?.point ?? null;
  }

  private look(): void {
    const { translucent } = this.app.options;
    this.material.transparent = translucent;
    this.material.opacity = translucent ? 0.38 : 1;
    this.material.depthWrite = !translucent;
    this.material.needsUpdate = true;
    for (const mesh of this.shown.values()) mesh.visible = !this.app.hidden.has(mesh.name);
    this.stage.draw();
  }

  private update(): void {
    const meshes = this.app.scene?.meshes ?? [];
    this.wanted.clear();
    for (const { id, name } of meshes) {
      this.wanted.add(id);
      if (!this.shown.has(id)) void this.load(id, name);
    }
    for (const [id, mesh] of this.shown) {
      if (this.wanted.has(id)) continue;
      this.stage.world.remove(mesh);
      mesh.geometry.dispose();
      this.shown.delete(id);
      this.stage.draw();
    }
  }

  private async load(id: number, name: string): Promise<void> {
    const mesh = new THREE.Mesh(new THREE.BufferGeometry(), this.material);
    mesh.name = name;
    this.shown.set(id, mesh);
    try {
      const answer = await fetch(address(`/api/sessions/${encodeURIComponent(this.app.session)}/mesh/${id}`));
      if (!answer.ok) throw new Error(`The mesh "${name}" could not be fetched: ${answer.status}.`);
      mesh.geometry = read(await answer.arrayBuffer());
    } catch (error) {
      this.shown.delete(id);
      this.app.notice(error instanceof Error ? error.message : String(error), "error");
      return;
    }
    if (!this.wanted.has(id)) {
      this.shown.delete(id);
      return;
    }
    this.stage.world.add(mesh);
    this.look();
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
