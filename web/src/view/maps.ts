// Colour maps: what a number looks like. Each goes evenly away from the background, darker on a light page and lighter on a
// dark one, so that more always looks like more, in grey and for people who do not tell red from green. The plots of the
// command line have the same ones.

import * as THREE from "three";
import table from "../../../crates/flexline-plot/src/colour_maps.csv?raw";
import type { Quantity } from "../app";
import { unitLabel } from "../panels/units";
import type { Cable } from "../protocol";

/** Colours of cables in the order of the scene, chosen to be told apart (after Okabe and Ito, 2008). */
const PART_COLOURS = [0x3d9be0, 0xe39a2e, 0x35b08a, 0xd9659b, 0xcfc34a, 0x8d7be0, 0xd9603b, 0x7f9bb3];

export function partColour(index: number): THREE.Color {
  return new THREE.Color(PART_COLOURS[index % PART_COLOURS.length]);
}

export type Rgb = [number, number, number];
export type Theme = "dark" | "light";

const STOPS = new Map(table.split("\n").filter((line) => line !== "" && !line.startsWith("#")).map((line) => {
  const [name, theme, ...stops] = line.split(",");
  const rgb = stops.map((hex): Rgb => [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16)) as Rgb);
  return [`${name} ${theme}`, rgb];
}));

function sample(name: string, theme: Theme, t: number): Rgb {
  const stops = STOPS.get(`${name} ${theme}`) as Rgb[];
  const x = Math.min(Math.max(t, 0), 1) * (stops.length - 1);
  const i = Math.min(Math.floor(x), stops.length - 2);
  const a = stops[i] as Rgb;
  const b = stops[i + 1] as Rgb;
  return [0, 1, 2].map((k) => Math.round((a[k] as number) + ((b[k] as number) - (a[k] as number)) * (x - i))) as Rgb;
}

/** Where the limit lies on its map: a quarter is left for what is beyond. */
const LIMIT_AT = 3 / 4;

const MAPS = ["sequential", "limit", "diverging"] as const;
export type MapName = (typeof MAPS)[number];

/** The colour at a share of a map, 0 to 1. */
export function mapColour(map: MapName, theme: Theme, t: number): Rgb {
  switch (map) {
    case "sequential":
      return sample("sequential", theme, t);
    case "limit":
      // Whoever is over the limit has jumped there: it must not look like a little more of the same.
      return t < LIMIT_AT ? sample("under", theme, t / LIMIT_AT) : sample("over", theme, (t - LIMIT_AT) / (1 - LIMIT_AT));
    case "diverging":
      return t < 0.5 ? sample("below", theme, 1 - 2 * t) : sample("above", theme, 2 * t - 1);
  }
}

/** What has no limit that is known is neither safe nor not. */
export const UNKNOWN: Rgb = [122, 125, 128];

export const MAP_SIZE = 256;
const THEMES: readonly Theme[] = ["light", "dark"];
export const MAP_ROWS = MAPS.length * THEMES.length;

/** The row of a map in the texture. */
export function mapRow(map: MapName, theme: Theme): number {
  return THEMES.indexOf(theme) * MAPS.length + MAPS.indexOf(map);
}

/** One row of texels for each map in each theme. */
export function mapTexture(): THREE.DataTexture {
  const data = new Uint8Array(MAP_SIZE * MAP_ROWS * 4);
  for (const theme of THEMES) {
    for (const map of MAPS) {
      for (let i = 0; i < MAP_SIZE; i++) {
        data.set([...mapColour(map, theme, i / (MAP_SIZE - 1)), 255], (mapRow(map, theme) * MAP_SIZE + i) * 4);
      }
    }
  }
  const texture = new THREE.DataTexture(data, MAP_SIZE, MAP_ROWS);
  texture.minFilter = texture.magFilter = THREE.LinearFilter;
  texture.needsUpdate = true;
  return texture;
}

export interface Scale {
  title: string;
  unit: string;
  map: MapName;
  /** Number among the four loads of a node. */
  channel: number;
  low: number;
  high: number;
  /** Bends are shares of each cable's own limit, and some may have none. */
  shares: boolean;
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

/** What a quantity is measured by; `peak` is its largest size in the frame, `anyRadius` whether a cable has a least radius. */
export function scaleOf(quantity: Quantity, peak: number, anyRadius: boolean): Scale {
  const plain = { shares: false, shown: 1 };
  switch (quantity) {
    case "curvature":
      // With a smallest radius this is κ·R: 1 is the limit. Without one it is the curvature itself.
      return anyRadius
        ? { title: "Bend, share of its limit", unit: "%", map: "limit", channel: 0, low: 0, high: 1 / LIMIT_AT, shares: true, shown: 100 }
        : { ...plain, title: "Curvature", unit: "1/m", map: "sequential", channel: 0, low: 0, high: roundUp(peak) };
    case "twist": {
      // Round in degrees.
      const high = (roundUp(Math.max((peak * 180) / Math.PI, 5)) * Math.PI) / 180;
      return { ...plain, title: "Twist", unit: unitLabel("twist"), map: "diverging", channel: 1, low: -high, high, shown: 180 / Math.PI };
    }
    case "tension": {
      const high = roundUp(Math.max(peak, 1e-3));
      return { ...plain, title: "Tension", unit: "N", map: "diverging", channel: 2, low: -high, high };
    }
    case "moment":
      return { ...plain, title: "Bending moment", unit: "N m", map: "sequential", channel: 3, low: 0, high: roundUp(Math.max(peak, 1e-6)) };
    case "part":
      return { ...plain, title: "Cables", unit: "", map: "sequential", channel: 0, low: 0, high: 1 };
  }
}

/** The limit of a cable for a quantity, in the unit of its scale; `null` where none is known, and where there is none to know. */
export function limitOf(cable: Pick<Cable, "bend_limit" | "max_tension" | "max_twist">, quantity: Quantity, shares: boolean): number | null {
  switch (quantity) {
    case "curvature":
      return shares && cable.bend_limit ? 1 : null;
    case "tension":
      return cable.max_tension;
    case "twist":
      return cable.max_twist;
    default:
      return null;
  }
}
