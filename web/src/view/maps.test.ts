import { describe, expect, it } from "vitest";
import { short } from "./legend";
import { mapColour, roundUp, scaleOf } from "./maps";

describe("roundUp", () => {
  it("gives the next round number, never a smaller one", () => {
    for (const [value, round] of [[0.93, 1], [1, 1], [1.2, 2], [2.3, 2.5], [4, 5], [73.9, 100], [0.0021, 0.0025]] as const) {
      expect(roundUp(value)).toBeCloseTo(round, 12);
    }
  });

  it("has an answer for what is no size", () => {
    for (const value of [0, -1, Number.NaN, Infinity]) expect(roundUp(value)).toBe(1);
  });
});

describe("maps", () => {
  const lightness = ([r, g, b]: [number, number, number]) => 0.3 * r + 0.59 * g + 0.11 * b;

  it("get lighter from low to high where the order matters", () => {
    for (let i = 1; i <= 32; i++) {
      expect(lightness(mapColour(0, i / 32))).toBeGreaterThan(lightness(mapColour(0, (i - 1) / 32)) - 0.5);
    }
  });

  it("are symmetric about zero where there is a sign", () => {
    expect(mapColour(2, 0.5)).toEqual([221, 221, 221]);
    expect(lightness(mapColour(2, 0))).toBeLessThan(100);
    expect(lightness(mapColour(2, 1))).toBeLessThan(100);
  });

  it("stay within their ends", () => {
    expect(mapColour(1, -3)).toEqual(mapColour(1, 0));
    expect(mapColour(1, 7)).toEqual(mapColour(1, 1));
  });
});

describe("scaleOf", () => {
  it("measures bends by the cable's smallest radius where there is one", () => {
    expect(scaleOf("curvature", 12, { tension: null, anyRadius: true })).toMatchObject({ limit: 1, unit: "%" });
    expect(scaleOf("curvature", 12, { tension: null, anyRadius: false })).toMatchObject({ limit: null, unit: "1/m", high: 20 });
  });

  it("is symmetric for tension and twist", () => {
    for (const quantity of ["tension", "twist"] as const) {
      const { low, high } = scaleOf(quantity, 7, { tension: null, anyRadius: false });
      expect([low, high]).toEqual([-10, 10]);
    }
  });
});

describe("short", () => {
  it("writes numbers as people read them", () => {
    for (const [value, text] of [[0, "0"], [1234.6, "1235"], [12.345, "12.3"], [1.005, "1"], [0.0123, "0.012"], [1e-5, "1.0e-5"]] as const) {
      expect(short(value)).toBe(text);
    }
  });
});
