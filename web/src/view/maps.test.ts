import { describe, expect, it } from "vitest";
import { short } from "./legend";
import { limitOf, mapColour, roundUp, scaleOf, UNKNOWN, type MapName, type Rgb, type Theme } from "./maps";

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

const linear = (rgb: Rgb): Rgb => rgb.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4)) as Rgb;
const times = (m: readonly Rgb[], v: Rgb): Rgb => m.map((row) => row[0] * v[0] + row[1] * v[1] + row[2] * v[2]) as Rgb;

/** CIELAB with D65, of a linear colour. */
function lab(rgb: Rgb): Rgb {
  const xyz = times([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]], rgb);
  const [x, y, z] = xyz.map((c, k) => {
    const t = c / ([0.95047, 1, 1.08883][k] as number);
    return t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116;
  }) as Rgb;
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** CIEDE2000 (Sharma, Wu and Dalal, 2005). */
function difference([l1, a1, b1]: Rgb, [l2, a2, b2]: Rgb): number {
  const rad = Math.PI / 180;
  const high = (c: number): number => Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7));
  const g = 0.5 * (1 - high((Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2));
  const c1 = Math.hypot((1 + g) * a1, b1);
  const c2 = Math.hypot((1 + g) * a2, b2);
  const hue = (a: number, b: number): number => (Math.atan2(b, (1 + g) * a) / rad + 360) % 360;
  const [h1, h2] = [hue(a1, b1), hue(a2, b2)];
  const turn = h2 - h1 > 180 ? h2 - h1 - 360 : h2 - h1 < -180 ? h2 - h1 + 360 : h2 - h1;
  const dh = 2 * Math.sqrt(c1 * c2) * Math.sin((turn / 2) * rad);
  const [l, c] = [(l1 + l2) / 2, (c1 + c2) / 2];
  const h = Math.abs(h1 - h2) <= 180 ? (h1 + h2) / 2 : (h1 + h2 + 360) / 2;
  const t = 1 - 0.17 * Math.cos((h - 30) * rad) + 0.24 * Math.cos(2 * h * rad) + 0.32 * Math.cos((3 * h + 6) * rad) - 0.2 * Math.cos((4 * h - 63) * rad);
  const sl = 1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2);
  const sc = 1 + 0.045 * c;
  const sh = 1 + 0.015 * c * t;
  const rt = -Math.sin(60 * Math.exp(-(((h - 275) / 25) ** 2)) * rad) * 2 * high(c);
  return Math.sqrt(((l2 - l1) / sl) ** 2 + ((c2 - c1) / sc) ** 2 + (dh / sh) ** 2 + rt * ((c2 - c1) / sc) * (dh / sh));
}

/** What is seen without one kind of cone (Machado, Oliveira and Fernandes, 2009, severity 1), of a linear colour. */
const EYES: Record<string, readonly Rgb[]> = {
  all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

const seen = (rgb: Rgb, eyes: string): Rgb => lab(times(EYES[eyes] as Rgb[], linear(rgb)).map((c) => Math.min(Math.max(c, 0), 1)) as Rgb);
const luminance = (rgb: Rgb): number => times([[0.2126, 0.7152, 0.0722]], linear(rgb))[0] as number;
const contrast = (a: Rgb, b: Rgb): number => {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
};

/** Top and bottom of the view in both themes, as in base.css. */
const BEHIND: Record<Theme, Rgb[]> = { light: [[0xfd, 0xfe, 0xfe], [0xd8, 0xe0, 0xe7]], dark: [[0x26, 0x30, 0x3b], [0x11, 0x16, 0x1c]] };
const THEMES: Theme[] = ["light", "dark"];
/** Parts of maps over which more is to look like more: from, to. */
const PARTS: [MapName, number, number][] = [
  ["sequential", 0, 1], ["limit", 0, 0.75 - 1e-9], ["limit", 0.75, 1], ["diverging", 0.5 - 1e-9, 0], ["diverging", 0.5, 1],
];
const walk = (map: MapName, theme: Theme, from: number, to: number, steps: number): Rgb[] =>
  Array.from({ length: steps + 1 }, (_, i) => mapColour(map, theme, from + ((to - from) * i) / steps));

describe("the measure", () => {
  it("agrees with published pairs", () => {
    // Sharma, Wu and Dalal (2005), table 1, pairs 1, 7 and 17.
    expect(difference([50, 2.6772, -79.7751], [50, 0, -82.7485])).toBeCloseTo(2.0425, 3);
    expect(difference([50, 0, 0], [50, -1, 2])).toBeCloseTo(2.3669, 3);
    expect(difference([50, 2.5, 0], [73, 25, -18])).toBeCloseTo(27.1492, 3);
  });
});

describe("maps", () => {
  it("are seen before the background everywhere, at zero too", () => {
    for (const theme of THEMES) {
      for (const map of ["sequential", "limit", "diverging"] as const) {
        for (const colour of [...walk(map, theme, 0, 1, 64), UNKNOWN]) {
          for (const behind of BEHIND[theme]) expect(contrast(colour, behind), `${map} ${theme} ${colour}`).toBeGreaterThan(3);
        }
      }
    }
  });

  it("go evenly in one direction, away from the background, for all eyes", () => {
    for (const theme of THEMES) {
      for (const [map, from, to] of PARTS) {
        for (const eyes of Object.keys(EYES)) {
          const colours = walk(map, theme, from, to, 8).map((rgb) => seen(rgb, eyes));
          for (let i = 1; i < colours.length; i++) {
            const step = (colours[i] as Rgb)[0] - (colours[i - 1] as Rgb)[0];
            expect(theme === "dark" ? step : -step, `${map} ${theme} ${eyes} ${i}`).toBeGreaterThan(0);
          }
        }
        const steps = walk(map, theme, from, to, 8).map((rgb) => seen(rgb, "all"));
        const ways = steps.slice(1).map((colour, i) => difference(steps[i] as Rgb, colour));
        expect(Math.max(...ways) / Math.min(...ways), `${map} ${theme}`).toBeLessThan(2);
      }
    }
  });

  it("make over the limit look worse than 80 %, and than 100 %", () => {
    for (const theme of THEMES) {
      for (const eyes of Object.keys(EYES)) {
        const at = (share: number): Rgb => seen(mapColour("limit", theme, 0.75 * share), eyes);
        const away = theme === "dark" ? 1 : -1;
        for (const over of [1, 1.1, 1.33]) {
          for (const under of [0, 0.5, 0.8, 0.999]) {
            expect(away * (at(over)[0] - at(under)[0]), `${theme} ${eyes} ${under} ${over}`).toBeGreaterThan(5);
          }
          expect(difference(at(over), at(0.8)), `${theme} ${eyes} ${over}`).toBeGreaterThan(15);
        }
      }
    }
  });

  it("make over the limit red in both themes, as all that fails is", () => {
    for (const theme of THEMES) {
      for (const over of [1, 1.1, 1.33]) {
        const [, a, b] = seen(mapColour("limit", theme, 0.75 * over), "all");
        const hue = (Math.atan2(b, a) * 180) / Math.PI;
        // Amber, which warns, begins at 60 degrees.
        expect(hue, `${theme} ${over}`).toBeGreaterThan(15);
        expect(hue, `${theme} ${over}`).toBeLessThan(55);
        expect(Math.hypot(a, b), `${theme} ${over}`).toBeGreaterThan(35);
      }
    }
  });

  it("tell the signs apart", () => {
    for (const theme of THEMES) {
      for (const eyes of Object.keys(EYES)) {
        for (const off of [0.125, 0.25, 0.5]) {
          const [low, high] = [0.5 - off, 0.5 + off].map((t) => seen(mapColour("diverging", theme, t), eyes)) as [Rgb, Rgb];
          expect(difference(low, high), `${theme} ${eyes} ${off}`).toBeGreaterThan(14);
        }
      }
    }
  });

  it("stay within their ends", () => {
    expect(mapColour("limit", "dark", -3)).toEqual(mapColour("limit", "dark", 0));
    expect(mapColour("limit", "light", 7)).toEqual(mapColour("limit", "light", 1));
  });
});

describe("scaleOf", () => {
  it("measures bends by the cable's smallest radius where there is one", () => {
    expect(scaleOf("curvature", 12, true)).toMatchObject({ shares: true, unit: "%" });
    expect(scaleOf("curvature", 12, false)).toMatchObject({ shares: false, unit: "1/m", high: 20 });
  });

  it("is symmetric for tension and twist", () => {
    const tension = scaleOf("tension", 7, false);
    expect([tension.low, tension.high]).toEqual([-10, 10]);
    const twist = scaleOf("twist", 1, false);
    expect(twist.low).toBe(-twist.high);
    expect(twist.high * twist.shown).toBeCloseTo(100, 9);
  });
});

describe("limitOf", () => {
  it("is the cable's own, and none where none is known", () => {
    const cable = { bend_limit: { radius: 0.02, reference: "centre", use: "static", centre_radius: 0.02 } as const, max_tension: 40, max_twist: null };
    expect(limitOf(cable, "curvature", true)).toBe(1);
    expect(limitOf(cable, "tension", false)).toBe(40);
    expect(limitOf(cable, "twist", false)).toBeNull();
    expect(limitOf({ ...cable, bend_limit: null }, "curvature", true)).toBeNull();
  });
});

describe("short", () => {
  it("writes numbers as people read them", () => {
    for (const [value, text] of [[0, "0"], [1234.6, "1235"], [12.345, "12.3"], [1.005, "1"], [0.0123, "0.012"], [1e-5, "1.0e-5"]] as const) {
      expect(short(value)).toBe(text);
    }
  });
});
