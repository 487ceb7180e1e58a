// Quantities as scene files have them (`"12 mm"`, or a number in SI), and as people read them.

export type Dimension =
  | "length" | "angle" | "curvature" | "twist" | "force" | "moment" | "work" | "force_per_length" | "moment_per_length" | "stress"
  | "stiffness" | "mass" | "inertia" | "time" | "density" | "mass_per_length" | "acceleration" | "number";

interface Shown {
  /** As written into files. */
  unit: string;
  /** As shown. */
  label: string;
  /** One of the unit in SI. */
  si: number;
}

const SHOWN: Record<Dimension, Shown> = {
  length: { unit: "mm", label: "mm", si: 1e-3 },
  angle: { unit: "deg", label: "deg", si: Math.PI / 180 },
  curvature: { unit: "1/m", label: "1/m", si: 1 },
  twist: { unit: "deg/m", label: "°/m", si: Math.PI / 180 },
  force: { unit: "N", label: "N", si: 1 },
  moment: { unit: "N m", label: "N m", si: 1 },
  work: { unit: "J", label: "J", si: 1 },
  force_per_length: { unit: "N/m", label: "N/m", si: 1 },
  moment_per_length: { unit: "N m/m", label: "N m/m", si: 1 },
  stress: { unit: "MPa", label: "MPa", si: 1e6 },
  stiffness: { unit: "N m^2", label: "N m²", si: 1 },
  mass: { unit: "g", label: "g", si: 1e-3 },
  inertia: { unit: "kg cm^2", label: "kg cm²", si: 1e-4 },
  time: { unit: "s", label: "s", si: 1 },
  density: { unit: "kg/m^3", label: "kg/m³", si: 1 },
  mass_per_length: { unit: "g/m", label: "g/m", si: 1e-3 },
  acceleration: { unit: "m/s^2", label: "m/s²", si: 1 },
  number: { unit: "", label: "", si: 1 },
};

/** The unit people see. */
export function unitLabel(dimension: Dimension): string {
  return SHOWN[dimension].label;
}

/** A number for people: as many digits as say something, no trailing zeros. */
export function digits(value: number, count = 5): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) return value.toExponential(count - 1).replace(/\.?0+e/, "e").replace("e+", "e");
  return String(Number(value.toPrecision(count)));
}

/** The number in the shown unit. */
export function shown(si: number, dimension: Dimension, count = 5): string {
  return digits(si / SHOWN[dimension].si, count);
}

/** The number and its unit. */
export function withUnit(si: number, dimension: Dimension, count = 4): string {
  return `${shown(si, dimension, count)} ${SHOWN[dimension].label}`.trim();
}

/** A quantity of a command: the value in the shown unit, as text. */
export function quantity(si: number, dimension: Dimension): string | number {
  const { unit, si: one } = SHOWN[dimension];
  return unit === "" ? si : `${Number((si / one).toPrecision(9))} ${unit}`;
}

const PREFIX: Record<string, number> = { n: 1e-9, u: 1e-6, µ: 1e-6, m: 1e-3, c: 1e-2, d: 1e-1, k: 1e3, M: 1e6, G: 1e9 };

const PLAIN: Record<string, number> = {
  m: 1, in: 0.0254, ft: 0.3048, rad: 1, deg: Math.PI / 180, "°": Math.PI / 180, turn: 2 * Math.PI, turns: 2 * Math.PI,
  rev: 2 * Math.PI, N: 1, lbf: 4.4482216152605, Nm: 1, Pa: 1, bar: 1e5, psi: 6894.757293168, kg: 1, g: 1e-3,
  lb: 0.45359237, s: 1, min: 60, "%": 0.01,
};

function oneUnit(text: string): number | null {
  const found = /^([^\d^²³]+)(?:\^?(-?\d+)|([²³]))?$/.exec(text);
  if (!found?.[1]) return null;
  const symbol = found[1];
  const power = found[3] ? (found[3] === "²" ? 2 : 3) : Number(found[2] ?? 1);
  const head = PREFIX[symbol[0] ?? ""];
  const rest = PLAIN[symbol.slice(1)];
  const base = PLAIN[symbol] ?? (head !== undefined && rest !== undefined ? head * rest : undefined);
  return base === undefined ? null : base ** power;
}

/** What one of a unit is in SI; `null` where it is none. The server has the last word. */
export function unitFactor(unit: string): number | null {
  const text = unit.trim();
  if (text === "") return 1;
  let factor = 1;
  for (const [place, part] of text.split("/").entries()) {
    for (const [index, word] of part.split(/[\s*·]+/).filter((each) => each !== "" && each !== "1").entries()) {
      const one = oneUnit(word);
      if (one === null) return null;
      factor = place > 0 && index === 0 ? factor / one : factor * one;
    }
  }
  return factor;
}

const NUMBER = /^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*)$/;

/** Reads what a person typed or a file says, in SI; a bare number of a file is in SI already. `null` where it is none. */
export function toSi(value: unknown): number | null {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return null;
  const found = NUMBER.exec(value);
  if (!found) return null;
  const factor = unitFactor(found[2] ?? "");
  return factor === null ? null : Number(found[1]) * factor;
}

/** What a field shows of a value of the file: in the shown unit where it can be read, else as it stands. */
export function fieldText(value: unknown, dimension: Dimension): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string" && value.trim().endsWith("%")) return value;
  const si = toSi(value);
  return si === null ? String(value) : shown(si, dimension, 7);
}

/** What a field sends: a bare number gets the unit beside the field; a comma is read as a point; empty takes it out. */
export function fieldValue(text: string, dimension: Dimension): string | number | null {
  const clean = text.trim().replace(/^([+-]?\d+),(\d+)/, "$1.$2").replace(/−/g, "-");
  if (clean === "") return null;
  const { unit } = SHOWN[dimension];
  const found = NUMBER.exec(clean);
  if (found && found[2] === "") return unit === "" ? Number(found[1]) : `${found[1]} ${unit}`;
  return clean;
}

/** A place along a cable as typed: a bare number is in mm, a word is the name of a clip. */
export function placeValue(text: string): string | number | null {
  return fieldValue(text, "length");
}
