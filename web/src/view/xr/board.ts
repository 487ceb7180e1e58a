// A small board at the left hand that says what happens.

import * as THREE from "three";

const WIDTH = 512;
const HEIGHT = 96;

export class Board {
  readonly mesh: THREE.Mesh;
  private readonly canvas = document.createElement("canvas");
  private readonly texture: THREE.CanvasTexture;
  private said = "";

  constructor() {
    this.canvas.width = WIDTH;
    this.canvas.height = HEIGHT;
    this.texture = new THREE.CanvasTexture(this.canvas);
    this.mesh = new THREE.Mesh(
      new THREE.PlaneGeometry(0.2, 0.2 * (HEIGHT / WIDTH)),
      new THREE.MeshBasicMaterial({ map: this.texture, transparent: true }),
    );
    this.mesh.position.set(0, 0.07, -0.02);
    this.mesh.visible = false;
  }

  say(words: string, bad: boolean): void {
    this.mesh.visible = words !== "";
    if (words === this.said) return;
    this.said = words;
    const context = this.canvas.getContext("2d") as CanvasRenderingContext2D;
    context.clearRect(0, 0, WIDTH, HEIGHT);
    context.fillStyle = "rgb(20 26 33 / 85%)";
    context.roundRect(0, 0, WIDTH, HEIGHT, 20);
    context.fill();
    context.fillStyle = bad ? "#ff8078" : "#e4e9ef";
    context.font = "40px sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(words, WIDTH / 2, HEIGHT / 2, WIDTH - 30);
    this.texture.needsUpdate = true;
  }
}
