import { describe, expect, it } from "vitest";
import type { TableView } from "../protocol";
import { keyOf, rows, setCommand } from "./keys";

const table: TableView = { kind: "cable", name: "trunk", keys: { name: "trunk", length: "300 mm", override: { bend: "0.2 N m^2" }, route: { tension: "5 N" } } };

describe("rows of a table", () => {
  it("spells inner tables out, with what is set and what may be", () => {
    const all = rows(table, { keys: { cable: ["name", "length", "override", "limits", "grading"] }, constraints: [] });
    const row = (path: string) => all.find((each) => each.path === path);
    expect(row("override.bend")).toMatchObject({ set: true, value: "0.2 N m^2" });
    expect(row("override.twist")).toMatchObject({ set: false });
    expect(row("limits.tension")?.key.label).toBe("Tension");
    expect(row("route.tension")?.set).toBe(true);
    expect(row("override")).toBeUndefined();
    expect(new Set(all.map((each) => each.path)).size).toBe(all.length);
  });

  it("has of a constraint what its kind takes, as the server says", () => {
    const constraint: TableView = { kind: "constraint", name: "plane 1", keys: { kind: "plane", point: "unit" } };
    const all = rows(constraint, {
      keys: { constraint: ["name", "kind", "point", "normal", "radius"] },
      constraints: [{ kind: "plane", keys: ["point", "normal"] }, { kind: "circle", keys: ["point", "radius"] }],
    });
    expect(all.map((each) => each.path).sort()).toEqual(["kind", "name", "normal", "point"]);
    expect(all.find((each) => each.path === "kind")?.key.editor).toEqual({ is: "choice", of: ["plane", "circle"] });
  });

  it("shows a key that nobody knows as it stands", () => {
    expect(keyOf("cable", "new_key")).toMatchObject({ label: "new key", editor: { is: "raw" } });
  });
});

describe("the command for a key", () => {
  it("is the kindest there is", () => {
    expect(setCommand("cable", "trunk", "length", "310 mm")).toEqual({ do: "set-length", cable: "trunk", length: "310 mm" });
    expect(setCommand("cable", "trunk", "name", "main")).toEqual({ do: "rename", name: "trunk", to: "main", kind: "cable" });
    expect(setCommand("clip", "wall", "hold", "pinned")).toEqual({ do: "set-handle", name: "wall", hold: "pinned" });
    expect(setCommand("port", "lamp", "position", ["1 mm", 0, 0])).toEqual({ do: "move", name: "lamp", to: ["1 mm", 0, 0] });
    expect(setCommand("pulley", "wheel", "radius", "30 mm")).toEqual({ do: "set", kind: "eye", name: "wheel", key: "radius", value: "30 mm" });
    expect(setCommand("world", "world", "gravity", "none")).toEqual({ do: "set", kind: "world", key: "gravity", value: "none" });
    expect(setCommand("end", "end", "twist", "90 deg")).toEqual({ do: "set", kind: "end", key: "twist", value: "90 deg" });
  });
});
