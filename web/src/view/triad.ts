// Which way is which: the three axes in the corner of the view.

import * as THREE from "three";

const SVG = "http://www.w3.org/2000/svg";
const AXES: [string, THREE.Vector3, string][] = [
  ["x", new THREE.Vector3(1, 0, 0), "#e0564f"],
  ["y", new THREE.Vector3(0, 1, 0), "#55b96a"],
  ["z", new THREE.Vector3(0, 0, 1), "#4f8fe0"],
];
/** Half the size of the drawing, and the length of an axis in it. */
const HALF = 37;
const LENGTH = 25;

export class Triad {
  private readonly parts: { direction: THREE.Vector3; line: SVGElement; text: SVGElement }[];
  private readonly turn = new THREE.Quaternion();

  constructor(view: HTMLElement) {
    const drawing = document.createElementNS(SVG, "svg");
    drawing.id = "triad";
    drawing.setAttribute("viewBox", `0 0 ${2 * HALF} ${2 * HALF}`);
    drawing.setAttribute("aria-hidden", "true");
    this.parts = AXES.map(([name, direction, colour]) => {
      const line = document.createElementNS(SVG, "line");
      line.setAttribute("x1", String(HALF));
      line.setAttribute("y1", String(HALF));
      line.setAttribute("stroke", colour);
      const text = document.createElementNS(SVG, "text");
      text.textContent = name;
      drawing.append(line, text);
      return { direction, line, text };
    });
    view.append(drawing);
  }

  update(camera: THREE.Camera): void {
    if (this.turn.equals(camera.quaternion)) return;
    this.turn.copy(camera.quaternion);
    const back = camera.quaternion.clone().invert();
    for (const { direction, line, text } of this.parts) {
      const at = direction.clone().applyQuaternion(back);
      line.setAttribute("x2", (HALF + LENGTH * at.x).toFixed(1));
      line.setAttribute("y2", (HALF - LENGTH * at.y).toFixed(1));
      text.setAttribute("x", (HALF + (LENGTH + 8) * at.x).toFixed(1));
      text.setAttribute("y", (HALF + 4 - (LENGTH + 8) * at.y).toFixed(1));
    }
  }
}
