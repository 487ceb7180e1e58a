// What the tools do with the places that are picked in the view.

import type { App, AppEvents, Tool } from "../app";
import type { Vector } from "../protocol";
import { dialog } from "./dialog";
import { pickStretch } from "./flexible";
import type { IconName } from "./icons";
import { addForm } from "./properties/add";
import { cableForms } from "./properties/cable-actions";
import { openForm, typedForm, type Form } from "./properties/form";
import { cableNamed, freshName, thingNamed } from "./scene-index";
import { digits, quantity } from "./units";

export const TOOLS: { name: Tool["name"]; icon: IconName; title: string; key: string; hint: string }[] = [
  { name: "select", icon: "select", title: "Select and drag", key: "V", hint: "Click selects; drag pulls a cable anywhere." },
  { name: "cable", icon: "cable", title: "New cable", key: "N", hint: "Click what it begins in, then what it ends in." },
  { name: "clip", icon: "clip", title: "Clip", key: "C", hint: "Click a cable: a clip holds it there. Click an obstacle: the clip holds the selected cable on its surface." },
  { name: "port", icon: "port", title: "Port on a surface", key: "Q", hint: "Click an obstacle: a port is put there, its cable leaving square to the surface." },
  { name: "eye", icon: "ring", title: "Eye on a surface", key: "I", hint: "Select a cable, then click an obstacle: the cable slides through an eye on its surface." },
  { name: "obstacle", icon: "mesh", title: "Obstacle on a surface", key: "O", hint: "Click an obstacle: a post is put onto its surface, square to it; change its shape on the right." },
  { name: "cut", icon: "cut", title: "Cut", key: "K", hint: "Click a cable where it is to be cut." },
  { name: "branch", icon: "branch", title: "Branch", key: "B", hint: "Click a cable where another one is to leave it." },
  { name: "lengthen", icon: "lengthen", title: "Lengthen between two points", key: "E", hint: "Click two places on one cable." },
  { name: "measure", icon: "measure", title: "Measure", key: "M", hint: "Click two places." },
];

type Picked = AppEvents["picked"];

export function mountTools(app: App): void {
  app.on("picked", (picked) => void act(app, picked));
}

function act(app: App, picked: Picked): void {
  const tool = app.tool;
  const { cable, at } = picked;
  switch (tool.name) {
    case "cable":
      pickEnd(app, tool.from, picked);
      return;
    case "clip":
      if (picked.normal) clipOn(app, picked);
      else if (cable !== undefined && at !== undefined) void app.command({ do: "add-handle", cable, at, hold: "clamped" });
      else app.notice("A clip goes onto a cable: click one.", "error");
      return;
    case "port":
      portOn(app, picked);
      return;
    case "eye":
      eyeOn(app, picked);
      return;
    case "obstacle":
      postOn(app, picked);
      return;
    case "flexible":
      void pickStretch(app, tool, picked);
      return;
    case "cut":
      if (cable !== undefined && at !== undefined) {
        void app.command({ do: "cut", cable, at });
        app.use({ name: "select" });
      } else app.notice("Click the cable that is to be cut.", "error");
      return;
    case "branch":
      if (cable !== undefined && at !== undefined) branch(app, cable, at);
      else app.notice("A branch leaves a cable: click one.", "error");
      return;
    case "lengthen":
      lengthen(app, tool, cable, at);
      return;
    default:
  }
}

/** A port on the surface of an obstacle, or on a floor; cables leave it square to that. */
function portOn(app: App, { position, normal }: Picked): void {
  if (!normal) {
    app.notice("A port goes onto the surface of an obstacle: click one.", "error");
    return;
  }
  const name = freshName(app.scene, "port");
  void app.command({ do: "add", kind: "port", with: { name, position: lengths(position), tangent: direction(normal) } }).then((done) => {
    if (done) app.select({ thing: name, kind: "port" });
  });
}

/** A clip on the surface of an obstacle, which holds the nearest place of a cable along it, as far off as the cable is thick. */
function clipOn(app: App, { position, normal, cable, at, tangent }: Picked): void {
  const held = cable === undefined ? undefined : cableNamed(app.scene, cable);
  if (!normal || !held || at === undefined || !tangent) {
    app.notice("Select the cable first, then click the surface that it is to be clipped to.", "error");
    return;
  }
  const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const add = (a: Vector, by: number, b: Vector): Vector => [a[0] + by * b[0], a[1] + by * b[1], a[2] + by * b[2]];
  const along = add(tangent, -dot(tangent, normal), normal);
  if (Math.sqrt(dot(along, along)) < 0.1) {
    app.notice("The cable runs square to the surface there: a clip holds it along a surface.", "error");
    return;
  }
  // A hair more than its radius, lest the clip presses it against what it is on.
  const place = add(position, 1.001 * held.radius, normal);
  void app.command({ do: "add-handle", cable: held.name, at, hold: "clamped", with: { position: lengths(place), tangent: direction(along) } });
}

/** An eye on the surface of an obstacle, as far off as the cable that slides through it is thick. */
function eyeOn(app: App, { position, normal, cable, at }: Picked): void {
  const held = cable === undefined ? undefined : cableNamed(app.scene, cable);
  if (!normal || !held || at === undefined) {
    app.notice("Select the cable first, then click the surface that its eye is to be on.", "error");
    return;
  }
  const name = freshName(app.scene, "eye");
  const place = off(position, 1.001 * held.radius, normal);
  void app.command({ do: "add", kind: "eye", with: { name, cable: held.name, at, position: lengths(place) } }).then((done) => {
    if (done) app.select({ thing: name, kind: "eye" });
  });
}

/** The keys of a round post that stands on a surface, four times as high as it is thick: as thick as three cables, and a centimetre at least. */
export function post(position: Vector, normal: Vector, radius: number): Record<string, unknown> {
  const own = Math.max(3 * radius, 0.005);
  return {
    shape: "cylinder", radius: quantity(own, "length"), length: quantity(8 * own, "length"),
    position: lengths(off(position, 4 * own, normal)), tangent: direction(normal),
  };
}

function postOn(app: App, { position, normal }: Picked): void {
  if (!normal) {
    app.notice("A post goes onto the surface of an obstacle: click one. Others are added by the + of the tree.", "error");
    return;
  }
  const name = freshName(app.scene, "post");
  const radius = (app.scene?.cables ?? []).reduce((most, cable) => Math.max(most, cable.radius), 0);
  void app.command({ do: "add", kind: "obstacle", with: { name, ...post(position, normal, radius) } }).then((done) => {
    if (done) app.select({ thing: name, kind: "obstacle" });
  });
}

/** The point so far off another along a direction. */
const off = (from: Vector, by: number, along: Vector): Vector => [from[0] + by * along[0], from[1] + by * along[1], from[2] + by * along[2]];
const lengths = (at: Vector): (string | number)[] => at.map((each) => quantity(each, "length"));
const direction = (along: Vector): number[] => along.map((each) => Number(each.toFixed(6)));

/** What a cable can end in, out of what was picked; a part stands for its only connector. */
export function endOf(app: Pick<App, "scene">, name: string): string | null {
  const thing = thingNamed(app.scene, name);
  if (thing?.kind !== "part") return thing ? name : null;
  const plugs = (app.scene?.things ?? []).filter((each) => each.kind === "connector" && each.name.startsWith(`${name}.`));
  const used = new Set((app.scene?.cables ?? []).flatMap((cable) => [cable.from, cable.to]));
  return plugs.find((plug) => !used.has(plug.name))?.name ?? plugs[0]?.name ?? null;
}

function pickEnd(app: App, from: string | undefined, picked: Picked): void {
  const end = picked.thing === undefined ? null : endOf(app, picked.thing);
  if (end === null) {
    app.notice("A cable begins and ends in a port, a connector, a junction, a clip, an eye or a bead. Add a port first, or click one.", "error");
    return;
  }
  if (end === from) {
    app.notice(`The cable begins in “${from}” already: click what it ends in.`, "error");
    return;
  }
  if (from === undefined) {
    app.use({ name: "cable", from: end });
    return;
  }
  app.use({ name: "select" });
  if (!app.scene) return;
  const form = addForm(app.scene, "cable", undefined);
  openDialog(app, fill(form, { from, to: end }), (name) => app.select({ cable: name }));
}

/** The form with other beginnings. */
function fill(form: Form, values: Record<string, string>): Form {
  return { ...form, fields: form.fields.map((field) => {
    const value = values[field.name];
    return value === undefined ? field : { ...field, input: { ...field.input, value } as typeof field.input };
  }) };
}

function openDialog(app: App, form: Form, done?: (name: string) => void): void {
  const box = dialog(form.title, "adding", openForm(app, form, () => {
    const name = box.querySelector<HTMLInputElement>(`[id="${form.id}.name"]`)?.value;
    box.close();
    if (name) done?.(name);
  }));
  box.querySelector<HTMLInputElement>("input")?.focus();
}

function branch(app: App, name: string, at: number): void {
  app.use({ name: "select" });
  const cable = cableNamed(app.scene, name);
  const form = cable && app.scene ? cableForms(app.scene, cable, at).find((each) => each.id === "branch") : undefined;
  if (form) openDialog(app, { ...form, id: "tool.branch" }, (made) => app.select({ cable: made }));
}

function lengthen(app: App, tool: Tool & { name: "lengthen" }, cable: string | undefined, at: number | undefined): void {
  if (cable === undefined || at === undefined || (tool.cable !== undefined && tool.cable !== cable)) {
    app.notice(tool.cable === undefined ? "Click a place on a cable." : `Click a second place on ${tool.cable}.`, "error");
    return;
  }
  if (tool.from === undefined) {
    app.use({ name: "lengthen", cable, from: at });
    return;
  }
  const [from, to] = [Math.min(tool.from, at), Math.max(tool.from, at)];
  app.use({ name: "select" });
  app.select({ cable, at });
  openDialog(app, typedForm({
    id: "tool.lengthen", title: "Length between two points", icon: "lengthen", act: "Set length",
    hint: `The piece of ${cable} from ${digits(from * 1000, 4)} mm to ${digits(to * 1000, 4)} mm. Only it changes.`,
    fields: [{ name: "length", label: "New length", input: { is: "quantity", dimension: "length", value: digits((to - from) * 1000, 4) } }],
    command: ({ length }) => ({ do: "set-length", cable, between: [quantity(from, "length"), quantity(to, "length")], length }),
  }));
}
