// Colour maps: what a number looks like. All rise evenly in lightness, so they read the same in grey and for people who
// do not tell red from green.

import * as THREE from "three";
import type { Quantity } from "../app";

/** Colours of cables in the order of the scene, chosen to be told apart (after Okabe and Ito, 2008). */
const PART_COLOURS = [0x3d9be0, 0xe39a2e, 0x35b08a, 0xd9659b, 0xcfc34a, 0x8d7be0, 0xd9603b, 0x7f9bb3];

export function partColour(index: number): THREE.Color {
  return new THREE.Color(PART_COLOURS[index % PART_COLOURS.length]);
}

type Rgb = [number, number, number];

/** Viridis (Smith and van der Walt, 2015), its dark end lightened: a cable is to be seen before a dark background. */
const SEQUENTIAL: Rgb[] = [
  [92, 58, 150], [80, 76, 158], [62, 92, 152], [44, 113, 142], [33, 144, 141], [39, 173, 129], [92, 200, 99],
  [170, 220, 50], [253, 231, 37],
];

/** From calm to alarming: the last quarter lies beyond the limit. */
const LIMIT: Rgb[] = [
  [52, 86, 150], [49, 119, 168], [52, 150, 168], [78, 178, 147], [142, 200, 110], [214, 211, 86], [250, 190, 66],
  [240, 110, 50], [214, 40, 40],
];

/** Symmetric about zero (after Moreland, 2009), for what has a sign. */
const DIVERGING: Rgb[] = [
  [59, 76, 192], [98, 130, 234], [141, 176, 254], [184, 208, 249], [221, 221, 221], [245, 196, 173], [244, 154, 123],
  [222, 96, 77], [180, 4, 38],
];

export const MAP_SIZE = 256;
const ROWS: Rgb[][] = [SEQUENTIAL, LIMIT, DIVERGING];

function sample(stops: Rgb[], t: number): Rgb {
  const x = Math.min(Math.max(t, 0), 1) * (stops.length - 1);
  const i = Math.min(Math.floor(x), stops.length - 2);
  const a = stops[i] as Rgb;
  const b = stops[i + 1] as Rgb;
  return [0, 1, 2].map((k) => Math.round((a[k] as number) + ((b[k] as number) - (a[k] as number)) * (x - i))) as Rgb;
}

export function mapColour(row: number, t: number): Rgb {
  return sample(ROWS[row] as Rgb[], t);
}

/** One row of texels for each map. */
export function mapTexture(): THREE.DataTexture {
  const data = new Uint8Array(MAP_SIZE * ROWS.length * 4);
  ROWS.forEach((stops, row) => {
    for (let i = 0; i < MAP_SIZE; i++) data.set([...sample(stops, i / (MAP_SIZE - 1)), 255], (row * MAP_SIZE + i) * 4);
  });
  const texture = new THREE.DataTexture(data, MAP_SIZE, ROWS.length);
  texture.minFilter = texture.magFilter = THREE.LinearFilter;
  texture.needsUpdate = true;
  return texture;
}

export interface Scale {
  title: string;
  unit: string;
  /** Row of the map. */
  row: number;
  /** Number among the four loads of a node. */
  channel: number;
  low: number;
  high: number;
  /** Where the limit is, in the unit of the scale. */
  limit: number | null;
  /** Multiplies what is shown: a share becomes per cent. */
  shown: number;
}

/** The smallest of 1, 2, 2.5 and 5 times a power of ten above a number, so that ticks are round. */
export function roundUp(value: number): number {
  if (!(value > 0) || !Number.isFinite(value)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  for (const step of [1, 2, 2.5, 5, 10]) if (value <= step * power * (1 + 1e-9)) return step * power;
  return 10 * power;
}

/** What a quantity is measured by; `peak` is its largest size in the frame. */
export function scaleOf(quantity: Quantity, peak: number, limits: { tension: number | null; anyRadius: boolean }): Scale {
  switch (quantity) {
    case "curvature":
      // With a smallest radius this is κ·R: 1 is the limit. Without one it is the curvature itself.
      return limits.anyRadius
        ? { title: "Bend utilisation", unit: "%", row: 1, channel: 0, low: 0, high: 4 / 3, limit: 1, shown: 100 }
        : { title: "Curvature", unit: "1/m", row: 0, channel: 0, low: 0, high: roundUp(peak), limit: null, shown: 1 };
    case "twist": {
      const high = roundUp(Math.max(peak, 0.1));
      return { title: "Twist", unit: "rad/m", row: 2, channel: 1, low: -high, high, limit: null, shown: 1 };
    }
    case "tension": {
      const high = roundUp(Math.max(peak, 1e-3));
      return { title: "Tension", unit: "N", row: 2, channel: 2, low: -high, high, limit: limits.tension, shown: 1 };
    }
    case "moment":
      return {
        title: "Bending moment", unit: "N m", row: 0, channel: 3, low: 0, high: roundUp(Math.max(peak, 1e-6)), limit: null,
        shown: 1,
      };
    case "part":
      return { title: "Cables", unit: "", row: 0, channel: 0, low: 0, high: 1, limit: null, shown: 1 };
  }
}
