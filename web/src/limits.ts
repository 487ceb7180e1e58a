// What a cable tolerates, in the maker's own terms: the same radius, place and use wherever it is shown.

import { withUnit } from "./panels/units";
import type { BendLimit, BendLimitView } from "./protocol";

/** The share of a bend limit that a curvature uses: the smallest radius over the radius there is, both where the maker measures them. */
export function bendShare(limit: BendLimitView, curvature: number): number {
  const inside = limit.centre_radius - limit.radius;
  return (limit.radius * curvature) / Math.max(1 - curvature * inside, 1e-9);
}

/** The limit in words; `null` where none is known. */
export function bendWords(limit: BendLimitView | null): string {
  if (limit === null) return "bend radius: no limit known";
  return `bend radius ≥ ${withUnit(limit.radius, "length", 3)} (${placeWords(limit.reference)}, ${limit.use})`;
}

export function placeWords(reference: BendLimit["reference"]): string {
  return reference === "inner" ? "inner side" : "centre";
}
