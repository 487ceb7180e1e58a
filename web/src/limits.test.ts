import { describe, expect, it } from "vitest";
import { bendShare, bendWords } from "./limits";
import type { BendLimitView } from "./protocol";

const inner: BendLimitView = { radius: 0.057, reference: "inner", use: "dynamic", centre_radius: 0.0623 };
const centre: BendLimitView = { radius: 0.057, reference: "centre", use: "static", centre_radius: 0.057 };

describe("bend limits", () => {
  it("are used as the check counts it: the limit over the radius where it is measured", () => {
    const curvature = 1 / 0.08;
    expect(bendShare(inner, curvature)).toBeCloseTo(0.057 / (0.08 - 0.0053), 12);
    expect(bendShare(centre, curvature)).toBeCloseTo(0.057 / 0.08, 12);
    expect(bendShare(inner, 1 / 0.0623)).toBeCloseTo(1, 12);
    expect(bendShare(inner, 0)).toBe(0);
    expect(bendShare(inner, 1000)).toBeGreaterThan(1e6);
  });

  it("say where they are measured, and for which use", () => {
    expect(bendWords(inner)).toBe("bend radius ≥ 57 mm (inner side, dynamic)");
    expect(bendWords(null)).toBe("bend radius: no limit known");
  });
});
