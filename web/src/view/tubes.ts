// All cables in one draw call, swept on the graphics card from the textures a frame fills.

import * as THREE from "three";
import type { Frame } from "../frame";
import type { SceneView } from "../protocol";
import { mapRow, mapTexture, partColour, type Scale, type Theme, UNKNOWN } from "./maps";
import { DIRECTOR_FRAGMENT, DIRECTOR_VERTEX, ROW, TUBE_FRAGMENT, TUBE_VERTEX } from "./tube_shader";

/** How a cable is drawn. */
export const enum Shown {
  No = 0,
  Yes = 1,
  Hovered = 2,
  Selected = 3,
}

/** Spans up to which rings are close and round, and up to which they are fairly so. */
const FINE = 1500;
const MIDDLE = 8000;

const NO_SHADOW = { ground: { value: 2e9 }, shadow: { value: new THREE.Vector4(0, 0, 0, 0) } };

function floatTexture(width: number, height: number): THREE.DataTexture {
  const texture = new THREE.DataTexture(
    new Float32Array(width * height * 4), width, height, THREE.RGBAFormat, THREE.FloatType,
  );
  texture.needsUpdate = true;
  return texture;
}

/**
 * The skin of one span: `rings` + 1 rings of `sides`, and a disc at each end. `place` is the direction in the section, the
 * share of the span, and which cap it belongs to (0: none).
 */
function spanGeometry(rings: number, sides: number): THREE.InstancedBufferGeometry {
  const place: number[] = [];
  const index: number[] = [];
  for (let ring = 0; ring <= rings; ring++) {
    for (let side = 0; side <= sides; side++) {
      const angle = (2 * Math.PI * side) / sides;
      place.push(Math.cos(angle), Math.sin(angle), ring / rings, 0);
      if (ring < rings && side < sides) {
        const a = ring * (sides + 1) + side;
        const b = a + sides + 1;
        index.push(a, a + 1, b, b, a + 1, b + 1);
      }
    }
  }
  for (const end of [-1, 1]) {
    const centre = place.length / 4;
    const at = end < 0 ? 0 : 1;
    place.push(0, 0, at, end);
    for (let side = 0; side <= sides; side++) {
      const angle = (2 * Math.PI * side) / sides;
      place.push(Math.cos(angle), Math.sin(angle), at, end);
      if (side < sides) index.push(centre, ...(end < 0 ? [centre + side + 2, centre + side + 1] : [centre + side + 1, centre + side + 2]));
    }
  }
  const geometry = new THREE.InstancedBufferGeometry();
  geometry.setAttribute("place", new THREE.Float32BufferAttribute(place, 4));
  geometry.setIndex(index);
  return geometry;
}

export class Tubes {
  readonly group = new THREE.Group();
  private readonly uniforms;
  private readonly skin: THREE.Mesh;
  private readonly outline: THREE.Mesh;
  private readonly shadow: THREE.Mesh;
  private readonly directors: THREE.LineSegments;
  private readonly ground = { value: 0 };
  private readonly shade = { value: new THREE.Vector4(0, 0, 0, 0.3) };
  private layout = "";
  private colours: THREE.Color[] = [];

  /** `fast`: with as few corners as still look round. */
  constructor(private readonly fast: boolean) {
    this.uniforms = {
      points: { value: floatTexture(ROW, 1) },
      frames: { value: floatTexture(ROW, 1) },
      loads: { value: floatTexture(ROW, 1) },
      cables: { value: floatTexture(2, 1) },
      map: { value: mapTexture() },
      mapRow: { value: 0 },
      byPart: { value: false },
      stripe: { value: true },
      channel: { value: 0 },
      shares: { value: false },
      unknown: { value: new THREE.Color(...UNKNOWN.map((each) => each / 255)) },
      range: { value: new THREE.Vector2(0, 1) },
      slimmest: { value: 1.25 },
      pixels: { value: 1 },
      sky: { value: new THREE.Color(0.62, 0.64, 0.66) },
      earth: { value: new THREE.Color(0.26, 0.27, 0.3) },
      sunView: { value: new THREE.Vector3(0, 0, 1) },
      upView: { value: new THREE.Vector3(0, 1, 0) },
      outlineColour: { value: new THREE.Color(0xffffff) },
    };
    const material = (vertexShader: string, fragmentShader: string, more: object) =>
      new THREE.ShaderMaterial({ vertexShader, fragmentShader, glslVersion: THREE.GLSL3, clipping: true, ...more });
    this.skin = new THREE.Mesh(
      spanGeometry(1, 3),
      material(TUBE_VERTEX, TUBE_FRAGMENT, {
        uniforms: { ...this.uniforms, outline: { value: 0 }, ...NO_SHADOW },
        side: THREE.DoubleSide,
      }),
    );
    // Straight down onto the ground. The stencil darkens each place once, however many cables are above it.
    this.shadow = new THREE.Mesh(
      this.skin.geometry,
      material(TUBE_VERTEX, TUBE_FRAGMENT, {
        uniforms: { ...this.uniforms, outline: { value: 0 }, ground: this.ground, shadow: this.shade },
        side: THREE.DoubleSide,
        transparent: true,
        depthWrite: false,
        stencilWrite: true,
        stencilRef: 1,
        stencilFunc: THREE.NotEqualStencilFunc,
        stencilZPass: THREE.ReplaceStencilOp,
      }),
    );
    this.outline = new THREE.Mesh(
      this.skin.geometry,
      material(TUBE_VERTEX, TUBE_FRAGMENT, {
        uniforms: { ...this.uniforms, outline: { value: 2 }, ...NO_SHADOW },
        side: THREE.BackSide,
      }),
    );
    this.directors = new THREE.LineSegments(
      new THREE.InstancedBufferGeometry(),
      material(DIRECTOR_VERTEX, DIRECTOR_FRAGMENT, { uniforms: this.uniforms }),
    );
    this.directors.visible = false;
    for (const one of [this.shadow, this.skin, this.outline, this.directors]) {
      one.frustumCulled = false;
      this.group.add(one);
    }
  }

  /** Which nodes belong to which cable, and how wide it is. */
  setScene(scene: SceneView): void {
    const nodes = scene.cables.reduce((most, cable) => Math.max(most, cable.first + cable.count), 0);
    const layout = `${nodes};${scene.cables.map((cable) => `${cable.first},${cable.count}`).join(";")}`;
    if (layout !== this.layout) {
      this.layout = layout;
      this.build(scene, nodes);
    }
    this.colours = scene.cables.map((_, index) => partColour(index));
    const data = this.uniforms.cables.value.image.data as Float32Array;
    scene.cables.forEach((cable, index) => {
      const colour = this.colours[index] as THREE.Color;
      const limit = cable.bend_limit;
      const inside = limit ? limit.centre_radius - limit.radius : 0;
      data.set([colour.r, colour.g, colour.b, 1, cable.radius, limit?.radius ?? 0, Shown.Yes, inside], index * 8);
    });
    this.uniforms.cables.value.needsUpdate = true;
  }

  colour(index: number): THREE.Color {
    return this.colours[index] ?? new THREE.Color(0x888888);
  }

  private build(scene: SceneView, nodes: number): void {
    const rows = Math.max(1, Math.ceil(nodes / ROW));
    for (const name of ["points", "frames", "loads"] as const) {
      this.uniforms[name].value.dispose();
      this.uniforms[name].value = floatTexture(ROW, rows);
    }
    this.uniforms.cables.value.dispose();
    this.uniforms.cables.value = floatTexture(2, Math.max(1, scene.cables.length));

    const spans: number[] = [];
    const stations: number[] = [];
    scene.cables.forEach((cable, index) => {
      for (let i = 0; i + 1 < cable.count; i++) {
        spans.push(cable.first + i, index, (i === 0 ? 1 : 0) + (i + 2 === cable.count ? 2 : 0));
      }
      const stride = Math.max(1, Math.round(cable.count / 40));
      for (let i = 0; i < cable.count; i += stride) stations.push(cable.first + i, index);
    });
    const count = spans.length / 3;
    const fresh = spanGeometry(...this.corners(count));
    fresh.setAttribute("span", new THREE.InstancedBufferAttribute(new Float32Array(spans), 3));
    fresh.instanceCount = count;
    this.skin.geometry.dispose();
    this.skin.geometry = this.outline.geometry = this.shadow.geometry = fresh;

    const rays = new THREE.InstancedBufferGeometry();
    rays.setAttribute("ray", new THREE.Float32BufferAttribute([0, 0, 0, 1, 1, 0, 1, 1, 2, 0, 2, 1], 2));
    // Without positions of its own an index says how many there are.
    rays.setIndex([0, 1, 2, 3, 4, 5]);
    rays.setAttribute("station", new THREE.InstancedBufferAttribute(new Float32Array(stations), 2));
    rays.instanceCount = stations.length / 2;
    this.directors.geometry.dispose();
    this.directors.geometry = rays;
  }

  /** Rings and sides of a span: cables that are many are thin on the screen. */
  private corners(spans: number): [number, number] {
    if (this.fast) return spans < FINE ? [2, 10] : [1, 6];
    return spans < FINE ? [3, 16] : spans < MIDDLE ? [2, 10] : [1, 8];
  }

  setFrame(frame: Frame): void {
    for (const [texture, from] of [
      [this.uniforms.points.value, frame.points],
      [this.uniforms.frames.value, frame.frames],
      [this.uniforms.loads.value, frame.loads],
    ] as const) {
      const data = texture.image.data as Float32Array;
      if (from.length > data.length) continue;
      data.set(from);
      texture.needsUpdate = true;
    }
  }

  /** Shows cables, hides them, outlines them. */
  setShown(states: readonly Shown[]): void {
    const data = this.uniforms.cables.value.image.data as Float32Array;
    states.forEach((state, index) => (data[index * 8 + 6] = state));
    this.uniforms.cables.value.needsUpdate = true;
    this.outline.visible = states.some((state) => state > Shown.Yes);
  }

  setScale(scale: Scale, theme: Theme, byPart: boolean): void {
    this.uniforms.byPart.value = byPart;
    this.uniforms.mapRow.value = mapRow(scale.map, theme);
    this.uniforms.shares.value = scale.shares;
    this.uniforms.channel.value = scale.channel;
    this.uniforms.range.value.set(scale.low, scale.high);
  }

  setLook(options: { stripe: boolean; directors: boolean; grid: boolean }, outline: THREE.ColorRepresentation, dark: boolean): void {
    this.uniforms.stripe.value = options.stripe;
    this.directors.visible = options.directors;
    this.uniforms.outlineColour.value.set(outline);
    this.shadow.visible = options.grid && !this.fast;
    this.shade.value.w = dark ? 0.34 : 0.16;
    this.uniforms.sky.value.setScalar(dark ? 0.6 : 0.68);
    this.uniforms.earth.value.setScalar(dark ? 0.26 : 0.36);
  }

  /** Where shadows fall. */
  setGround(height: number): void {
    this.ground.value = height;
  }

  /** Light stays with the room, a little of it with the eye. */
  setEye(camera: THREE.Camera, up: THREE.Vector3, height: number): void {
    this.uniforms.pixels.value = height;
    this.uniforms.upView.value.copy(up).transformDirection(camera.matrixWorldInverse);
    this.uniforms.sunView.value.set(0.35, 0.55, 0.76).normalize();
  }
}
