import { describe, expect, it } from "vitest";
import { digits, fieldText, fieldValue, quantity, toSi, unitFactor, withUnit } from "./units";

describe("reading", () => {
  it("knows the units of scene files", () => {
    const table: [string, number][] = [
      ["12 mm", 0.012], ["1.5 m", 1.5], ["30cm", 0.3], ["2 in", 0.0508], ["80 um", 8e-5], ["90 deg", Math.PI / 2], ["3 turns", 6 * Math.PI],
      ["0.01 /mm", 10], ["2 m^-1", 2], ["1 turn/m", 2 * Math.PI], ["2 kN", 2000], ["200 N mm", 0.2], ["2 Nm", 2], ["5 MPa", 5e6],
      ["5 N/mm^2", 5e6], ["0.02 N m^2", 0.02], ["20 N·mm²", 2e-5], ["25 g", 0.025], ["2 kg cm^2", 2e-4], ["1.2 g/cm^3", 1200], ["9 g/m", 0.009],
      ["9.81 m/s^2", 9.81], ["30 %", 0.3], ["-4e-3 m", -0.004], ["0.1 N m/m", 0.1],
    ];
    for (const [text, si] of table) expect(toSi(text), text).toBeCloseTo(si, 12);
  });

  it("takes numbers as SI and refuses the rest", () => {
    expect(toSi(0.25)).toBe(0.25);
    for (const wrong of ["", "mm", "12 parsec", "twelve", null, undefined, [1]]) expect(toSi(wrong)).toBeNull();
    expect(unitFactor("N m")).toBe(1);
  });
});

describe("showing", () => {
  it("says as many digits as mean something", () => {
    expect(digits(0)).toBe("0");
    expect(digits(0.1 + 0.2)).toBe("0.3");
    expect(digits(123456.789, 4)).toBe("123500");
    expect(digits(1.5e-9, 3)).toBe("1.5e-9");
    expect(digits(Number.NaN)).toBe("–");
    expect(withUnit(0.38, "length")).toBe("380 mm");
  });

  it("shows a value of the file in the unit of the field", () => {
    expect(fieldText("38 cm", "length")).toBe("380");
    expect(fieldText(0.38, "length")).toBe("380");
    expect(fieldText("40 %", "length")).toBe("40 %");
    expect(fieldText("fir tree", "length")).toBe("fir tree");
    expect(fieldText(undefined, "length")).toBe("");
  });

  it("sends what was typed, with the unit beside the field where there is none", () => {
    expect(fieldValue("380", "length")).toBe("380 mm");
    expect(fieldValue(" 0,5 ", "length")).toBe("0.5 mm");
    expect(fieldValue("0.4 m", "length")).toBe("0.4 m");
    expect(fieldValue("12", "number")).toBe(12);
    expect(fieldValue("−3", "force")).toBe("-3 N");
    expect(fieldValue("", "length")).toBeNull();
  });

  it("reads back what it sends", () => {
    for (const si of [0.001234, 17, -0.25]) expect(toSi(quantity(si, "length"))).toBeCloseTo(si, 9);
    expect(toSi(quantity(2e6, "stress"))).toBeCloseTo(2e6, 3);
    expect(quantity(0.3, "number")).toBe(0.3);
  });
});
