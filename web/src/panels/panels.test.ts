import { describe, expect, it } from "vitest";
import type { App } from "../app";
import { chord, keyLabel, SHORTCUTS, shortcutFor } from "../help/keys";
import type { Material } from "../protocol";
import { amount, grouped, percent } from "./checks";
import { fileKind, isTessellated } from "./exchange";
import { cable, finding, frame, scene, thing } from "./fixture";
import { addForm, sized } from "./properties/add";
import { lengthenCommand, partCommand, reserve, slope } from "./properties/cable";
import { cableForms } from "./properties/cable-actions";
import { constraintForm } from "./properties/constraint";
import { rawText, rawValue } from "./properties/field";
import { pointsOf, readForm } from "./properties/form";
import { matching } from "./properties/library";
import { discLike } from "./properties/section";
import { sliderShare, sliderValue } from "./properties/slider";
import { axisRange, curveOf } from "./plots";
import { removeCommand } from "./remove";
import { anchorNames, freshName, missing, verdictOf } from "./scene-index";
import { sentence } from "./sentence";
import { sessionName } from "./sessions";
import { statusWord } from "./status";
import { endOf, post } from "./tools";
import { complaint, searched, treeOf, type TreeNode } from "./tree";

describe("amounts of checks", () => {
  it("say nothing of rounding", () => {
    expect(amount(8.08e-35, "N")).toBe("0 N");
    expect(amount(-6.7e-16, "rad/m")).toBe(amount(0, "rad/m"));
    expect(amount(3.46e17, "m")).toBe("straight");
    expect(amount(0.0593, "m")).toBe("59.3 mm");
    expect(amount(null, "m")).toBe("–");
  });
});

describe("tree", () => {
  const full = scene({
    things: [thing("port", "left"), thing("part", "unit", { mass: 0.4 }), thing("connector", "unit.plug"), thing("clip", "late", { cable: "trunk", at: 0.3 }),
      thing("clip", "early", { cable: "trunk", at: 0.1 }), thing("clip", "hand 0", { cable: "trunk", at: 0.2 })],
    tables: [{ kind: "clip", name: "early", keys: {} }, { kind: "clip", name: "late", keys: {} }, { kind: "load", name: "label", keys: { cable: "trunk" } }, { kind: "constraint", name: "plane 1", keys: { kind: "plane" } }],
  });
  it("puts what is on a cable below it, in order, and connectors below their part", () => {
    const tree = treeOf(full);
    const trunk = tree.find((group) => group.title === "Cables")?.nodes[0];
    expect(trunk?.children.map((node) => node.name)).toEqual(["early", "late", "label"]);
    expect(tree.find((group) => group.title === "Rigid parts")?.nodes[0]?.children[0]?.name).toBe("unit.plug");
    expect(tree.some((group) => group.nodes.length === 0)).toBe(false);
  });
  it("keeps the way to what is searched", () => {
    const hits = searched(treeOf(full), "EARLY");
    expect(hits).toHaveLength(1);
    expect(hits[0]?.nodes[0]?.children.map((node) => node.name)).toEqual(["early"]);
    expect(searched(treeOf(full), "nothing like it")).toEqual([]);
  });
  it("says what is wrong: too short before failed checks", () => {
    const node: TreeNode = { kind: "cable", name: "trunk", detail: "", drawn: true, children: [] };
    const short = frame({ short: [{ cable: "trunk", missing: 0.0123, between: [0, 0.5] }] }).trailer;
    expect(complaint(node, [finding({ verdict: "fail", message: "sharp" })], short)?.text).toBe("Too short by 12.3 mm");
    expect(complaint(node, [finding({ verdict: "fail", message: "sharp" })], undefined)).toEqual({ verdict: "fail", text: "sharp" });
    expect(complaint(node, [finding()], undefined)).toBeNull();
  });
});

describe("checks", () => {
  it("puts the worst first", () => {
    const groups = grouped([finding({ cable: "a", utilisation: 0.9 }), finding({ cable: "b", rule: "tension" }), finding({ cable: "b", verdict: "fail", utilisation: 1.4 })]);
    expect(groups.map((group) => group.cable)).toEqual(["b", "a"]);
    expect(groups[0]?.findings[0]?.utilisation).toBe(1.4);
    expect(verdictOf([finding(), finding({ verdict: "warn" })], "trunk")).toBe("warn");
  });
  it("keeps the order of what is equally good, whatever its load", () => {
    const order = (first: number, second: number) =>
      grouped([finding({ cable: "a", utilisation: first }), finding({ cable: "b", utilisation: second })]).map((group) => group.cable);
    expect(order(0.1, 0.9)).toEqual(order(0.9, 0.1));
    expect([percent(0.256), percent(3), percent(1e6)]).toEqual(["26 %", "300 %", "> 999 %"]);
  });
  it("offers more than what lacks, in whole millimetres", () => {
    expect(missing(frame({ short: [{ cable: "trunk", missing: 0.004, between: [0, 0.5] }] }).trailer, "trunk")).toBe(0.004);
    expect(reserve({ length: 0.5 }, 0.0041)).toBeCloseTo(0.015, 12);
    expect(lengthenCommand({ name: "trunk", length: 0.5 }, 0.0041)).toEqual({ do: "set-length", cable: "trunk", by: "15 mm" });
    expect(lengthenCommand({ name: "trunk", length: 0.5 }, 0.0041, [0.1, 0.2])).toEqual({ do: "set-length", cable: "trunk", between: [0.1, 0.2], by: "15 mm" });
    expect(lengthenCommand({ name: "trunk", length: 0.5 }, 0.0041, [0, 0.5])).toEqual({ do: "set-length", cable: "trunk", by: "15 mm" });
  });
});

describe("forms", () => {
  it("read what is typed, with units, and name what is missing", () => {
    const form = addForm(scene(), "pulley", "trunk");
    const texts = { name: "wheel", cable: "trunk", at: "120", position: ["1", "", "2 cm"], radius: "30", axle: ["0", "1", "0"], friction: "" };
    const values = readForm(form.fields, texts);
    expect(values).toEqual({ name: "wheel", cable: "trunk", at: "120 mm", position: ["1 mm", 0, "2 cm"], radius: "30 mm", axle: [0, 1, 0] });
    expect(form.command(values as Record<string, unknown>)).toMatchObject({ do: "add", kind: "eye", with: { radius: "30 mm" } });
    expect(readForm(form.fields, { ...texts, radius: " " })).toBe("Radius");
  });
  it("lay a cable from the library", () => {
    expect(addForm(scene(), "cable", undefined).command({ name: "c", from: "left", to: "right", slack: "10 %", part: "wire-2.5" }))
      .toEqual({ do: "create-cable", name: "c", from: "left", to: "right", slack: "10 %", with: { part: "wire-2.5" } });
  });
  it("offer every verb that suits a cable", () => {
    const held = cableForms(scene(), cable("trunk"), 0.2).map((form) => form.id);
    expect(held).toEqual(expect.arrayContaining(["add-handle", "equidistant", "prolong", "between", "cut", "branch", "zone", "winch", "separate"]));
    const loose = scene({ cables: [cable("a", { to: "free" }), cable("b", { to: "free" })] });
    const join = cableForms(loose, loose.cables[0] as ReturnType<typeof cable>, undefined).find((form) => form.id === "join");
    expect(join?.command({ other: "b" })).toEqual({ do: "join", cables: ["a", "b"] });
  });
  it("take a bare number between two points for millimetres", () => {
    const between = cableForms(scene(), cable("trunk"), undefined).find((form) => form.id === "between");
    const values = readForm(between?.fields ?? [], { from: "100", to: "fir tree", length: "", by: "10" });
    expect(between?.command(values as Record<string, unknown>)).toEqual({ do: "set-length", cable: "trunk", between: ["100 mm", "fir tree"], by: "10 mm" });
  });
  it("read points line by line, in millimetres where no unit stands there", () => {
    expect(pointsOf("0, 0, 0\n5 cm, -1.5, 2e1\n")).toEqual([["0 mm", "0 mm", "0 mm"], ["5 cm", "-1.5 mm", "2e1 mm"]]);
    expect(pointsOf("1 2 3; 4 5 6")).toEqual([["1 mm", "2 mm", "3 mm"], ["4 mm", "5 mm", "6 mm"]]);
  });
  it("leave out what the chosen kind of constraint does not take", () => {
    const unit = thing("part", "unit");
    const constraints = [{ kind: "plane", keys: ["point", "on", "through", "normal", "side"] }, { kind: "string", keys: ["from", "to", "distance"] }];
    const app = { scene: scene({ things: [thing("port", "left"), unit], constraints }), selection: { thing: "unit", kind: "part" }, frame: null } as unknown as App;
    const form = constraintForm(app);
    const texts = { kind: "plane", name: "", point: "unit", from: "unit", to: "left", frame: "", through: ["1", "2", "3"], normal: ["0", "0", "1"],
      side: "on the plane", distance: "30", radius: "50", on: "", more: "" };
    expect(form.command(readForm(form.fields, texts) as Record<string, unknown>))
      .toEqual({ do: "add", kind: "constraint", with: { kind: "plane", point: "unit", through: ["1 mm", "2 mm", "3 mm"], normal: [0, 0, 1] } });
    const pair = readForm(form.fields, { ...texts, kind: "string", to: "a point of the world", place: ["9", "0", "0"] });
    expect(form.command(pair as Record<string, unknown>))
      .toEqual({ do: "add", kind: "constraint", with: { kind: "string", from: "unit", to: ["9 mm", "0 mm", "0 mm"], distance: "30 mm" } });
  });
  it("keep raw values as they are", () => {
    for (const value of [[1, 2], { a: 1 }, 3, true, "free"]) expect(rawValue(rawText(value))).toEqual(value);
    expect(rawValue("  ")).toBeNull();
  });
});

describe("sections", () => {
  it("finds the disc that is as stiff", () => {
    const [radius, modulus, ratio] = [0.004, 7e6, 0.35];
    const bend = (modulus * Math.PI * radius ** 4) / 4;
    const torsion = ((modulus / (2 * (1 + ratio))) * Math.PI * radius ** 4) / 2;
    const disc = discLike(radius, bend, torsion);
    expect(disc.youngs_modulus).toBeCloseTo(modulus, 3);
    expect(disc.poisson).toBeCloseTo(ratio, 12);
  });
  it("clears what a part replaces", () => {
    expect(partCommand("trunk", "wire-1.5", "override", {})).toEqual({ do: "set", kind: "cable", name: "trunk", key: "part", value: "wire-1.5" });
    expect(partCommand("trunk", "wire-1.5", "section", {})).toMatchObject({ do: "all", of: [{ key: "section", value: null }, { key: "part" }] });
  });
  it("inverts the slider of a routed cable", () => {
    for (const place of [0, 0.3, 1]) expect(slope(0.02 * 30 ** place * 0.4, 0.4)).toBeCloseTo(place, 12);
  });
  it("maps sliders back and forth", () => {
    const log = { value: 3, min: 1, max: 100, log: true };
    expect(sliderValue(sliderShare(log), log)).toBeCloseTo(3, 2);
    expect(sliderShare({ value: 500, min: 0, max: 100 })).toBe(1);
  });
  it("searches the library by all words", () => {
    const part: Material = { name: "wire-2.5", title: "Wire 2.5 mm²", kind: "wire", diameter: 1, bend: 1, twist: 1, mass_per_length: 1, bend_static: null, bend_dynamic: null, source: "" };
    expect(matching([part, { ...part, name: "hose", title: "Hose", kind: "hose" }], "wire 2.5")).toEqual([part]);
  });
});

describe("plots", () => {
  it("takes the nodes of the cable only", () => {
    const state = frame({}, [0, 0, 0, 0, 0, 0, 0, 0.1, 0, 0, 0, 0.2], [1, 10, 100, 0, 2, 20, 200, 0, 3, 30, 300, 0]);
    expect(curveOf(state, { first: 1, count: 2 }, 2, 1)[1]).toEqual([200, 300]);
    expect(curveOf(state, { first: 1, count: 2 }, 0, 2)[0][0]).toBeCloseTo(100, 4);
  });
  it("does not blow up rounding errors, nor shrink for a limit far away", () => {
    expect(axisRange(-1e-12, 1e-12, null, 0.1)[1]).toBeGreaterThan(0.1);
    expect(axisRange(0, 10, 14, 0.1)[1]).toBeGreaterThan(14);
    expect(axisRange(0, 1, 1000, 0.1)[1]).toBeLessThan(2);
    expect(axisRange(-10, 1, 14, 0.1, true)[0]).toBeLessThan(-14);
    expect(axisRange(-10, 1, 14, 0.1)[0]).toBeGreaterThan(-14);
  });
});

describe("names and files", () => {
  it("finds names that are free", () => {
    expect(freshName(scene(), "port")).toBe("port");
    expect(freshName(scene({ things: [thing("port", "port"), thing("port", "port 2")] }), "port")).toBe("port 3");
  });
  it("plugs a cable into a free connector of a part", () => {
    const plugs = scene({ things: [thing("part", "unit"), thing("connector", "unit.a"), thing("connector", "unit.b")], cables: [cable("c", { to: "unit.a" })] });
    expect(endOf({ scene: plugs }, "unit")).toBe("unit.b");
    expect(endOf({ scene: scene() }, "left")).toBe("left");
    expect(endOf({ scene: scene() }, "nowhere")).toBeNull();
  });
  it("names the kind where the name alone does not tell", () => {
    const both = scene({ cables: [cable("x")], things: [thing("port", "x")] });
    expect(removeCommand(both, "port", "x")).toEqual({ do: "remove", name: "x", kind: "port" });
    expect(removeCommand(scene(), "port", "left")).toEqual({ do: "remove", name: "left" });
  });
  it("knows files by their ending", () => {
    expect([fileKind("a.STL"), fileKind("b.wrl"), fileKind("c.toml"), fileKind("d.step"), fileKind("e.jt")]).toEqual(["mesh", "mesh", "scene", "lines", null]);
    // A surface of triangles in a STEP file was taken for lines, and refused for having none.
    expect(isTessellated("#1=COORDINATES_LIST('',3,());#2=COMPLEX_TRIANGULATED_FACE('',#1);")).toBe(true);
    expect(isTessellated("#2=TRIANGULATED_FACE('',#1);#3=ADVANCED_FACE('',(#4),#5,.T.);")).toBe(false);
    expect(isTessellated("#2=GEOMETRIC_CURVE_SET('',(#4));")).toBe(false);
    expect(sessionName("Door (2nd).toml")).toBe("door-2nd");
    expect(sessionName("….toml")).toBe("scene");
  });
});

describe("keyboard", () => {
  const key = (name: string, more = {}) => chord({ key: name, ctrlKey: false, metaKey: false, shiftKey: false, ...more });
  it("finds shortcuts by what is pressed", () => {
    expect(shortcutFor(key("z", { ctrlKey: true }))?.text).toBe("Undo");
    expect(shortcutFor(key("Z", { ctrlKey: true, shiftKey: true }))?.text).toBe("Redo");
    expect(shortcutFor(key("?", { shiftKey: true }))?.text).toBe("Help");
    expect(shortcutFor(key("j"))).toBeNull();
  });
  it("turns the gizmo and the view", () => {
    const options: object[] = [];
    const cameras: string[] = [];
    const app = { setOptions: (each: object) => options.push(each), emit: (_: string, camera: string) => cameras.push(camera) } as unknown as App;
    for (const pressed of ["r", "f", "7"]) shortcutFor(pressed)?.run(app, {} as KeyboardEvent);
    expect(options).toEqual([{ gizmo: "rotate" }]);
    expect(cameras).toEqual(["fit", "top"]);
  });
  it("gives no key to two things", () => {
    const all = SHORTCUTS.flatMap((each) => each.keys);
    expect(new Set(all).size).toBe(all.length);
    expect(keyLabel("mod+shift+z")).toBe("Ctrl+Shift+Z");
  });
});

describe("sentences", () => {
  it("keep of a diagnostic what is wrong and what helps", () => {
    const diagnostic = "error[conflict]: clip 'P2': `at` = 143.5 mm is where clip 'P1' of this cable is\n  --> hose.toml as edited:38:6\n   |\n38 | at = \"143.5 mm\"\n   |      ^^^\n   = help: one clip at one place";
    expect(sentence(diagnostic)).toBe("Clip 'P2': at = 143.5 mm is where clip 'P1' of this cable is.\nOne clip at one place.");
    expect(sentence("too short by 3 mm")).toBe("too short by 3 mm");
  });
});

describe("status", () => {
  it("says what the solver means", () => {
    expect(statusWord({ status: "converged", unstable: 0, time: null })).toEqual({ text: "Equilibrium", mood: "good" });
    expect(statusWord({ status: "converged", unstable: 2, time: null }).mood).toBe("warn");
    expect(statusWord({ status: "converged", unstable: 0, time: 0.5 }).text).toBe("In motion");
    expect(statusWord({ status: "too_short", unstable: 0, time: null }).mood).toBe("bad");
    expect(statusWord({ status: "numerical_failure", unstable: 0, time: null }).text).toBe("Numerical failure");
  });
});

describe("a post on a surface", () => {
  it("stands on it, square to it", () => {
    expect(post([0.1, 0, 0], [0, 0, 1], 0.002)).toEqual({ shape: "cylinder", radius: "6 mm", length: "48 mm", position: ["100 mm", "0 mm", "24 mm"], tangent: [0, 0, 1] });
    expect(post([0, 0, 0], [1, 0, 0], 0.0001)["radius"]).toBe("5 mm");
  });
});

describe("obstacles", () => {
  const bar = { name: "bar", form: "cylinder", radius: 0.02, length: null, size: null, mesh: null, triangles: null, friction: 0 } as const;
  const full = scene({ obstacles: [bar, { ...bar, name: "cube", form: "mesh", mesh: "0123", triangles: 12 }], things: [thing("port", "left"), thing("obstacle", "bar"), thing("obstacle", "cube")] });

  it("stand in the tree, and no cable ends in them", () => {
    const group = treeOf(full).find(({ title }) => title === "Obstacles");
    expect(group?.nodes.map(({ kind, name, detail }) => [kind, name, detail])).toEqual([["obstacle", "bar", "cylinder"], ["obstacle", "cube", "12 △"]]);
    expect(anchorNames(full)).toEqual(["left"]);
    expect(removeCommand(full, "obstacle", "bar")).toEqual({ do: "remove", name: "bar", kind: "obstacle" });
    expect(freshName(full, "bar")).toBe("bar 2");
  });

  it("have the sizes of their shape alone", () => {
    const all = { name: "a", radius: "20 mm", length: "200 mm", size: [1, 2, 3], tangent: [0, 1, 0], position: [0, 0, 0] };
    expect(Object.keys(sized({ ...all, shape: "cylinder" }))).toEqual(["name", "radius", "length", "tangent", "position", "shape"]);
    expect(Object.keys(sized({ ...all, shape: "box" }))).toEqual(["name", "size", "position", "shape"]);
    expect(Object.keys(sized({ ...all, shape: "plane" }))).toEqual(["name", "tangent", "position", "shape"]);
    expect(Object.keys(sized({ ...all, shape: "tube" }))).toEqual(["name", "radius", "tangent", "position", "shape"]);
  });
});
