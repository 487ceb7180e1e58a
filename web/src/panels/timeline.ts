// Motion: play, pause, one step, begin anew, record, and go through what was recorded.

import type { App } from "../app";
import type { Mode } from "../protocol";
import { dialog } from "./dialog";
import { button, h, say } from "./dom";
import { icon, type IconName } from "./icons";
import { fieldValue, toSi, withUnit } from "./units";

let recording = false;

/** How motion goes, as the server is told with every `mode`. */
const pace: { step?: number; drag?: number; delay?: number } = {};

export function setMode(app: App, mode: Mode, playing = mode === "dynamics"): void {
  void app.ask("mode", { mode, playing, ...pace });
}

/** Leaves what was recorded: whoever plays, steps or begins anew wants to see it. */
async function toPresent(app: App): Promise<void> {
  if (app.frame?.trailer.scrub !== null && app.frame?.trailer.scrub !== undefined) await app.ask("scrub", { frame: null });
}

/** Plays or pauses; begins motion where there is none. */
export function play(app: App): void {
  const moving = app.scene?.mode === "dynamics" && app.scene.playing;
  void toPresent(app);
  setMode(app, "dynamics", !moving);
}

export function stepOnce(app: App): void {
  void toPresent(app);
  if (app.scene?.mode === "dynamics") {
    if (app.scene.playing) setMode(app, "dynamics", false);
    void app.ask("step");
  } else void app.ask("mode", { mode: "dynamics", playing: false, ...pace }).then(() => app.ask("step"));
}

export function mountTimeline(app: App, place: HTMLElement): void {
  const playButton = button("play", "Play or pause (Space)", () => play(app), { id: "play" });
  const record = button("record", "Record motion", () => void setRecording(app, !recording).then(update), { id: "record", kind: "record" });
  const scrub = h("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "Recorded frame", title: "Go through what was recorded", id: "scrub" });
  const frames = h("output", { class: "frames quiet" });
  const back = button("close", "Back to the present", () => void toPresent(app), { text: "Live", kind: "live" });
  const time = h("output", { class: "time" });
  const energy = h("output", { class: "energy quiet", title: "Kinetic, elastic and potential energy, and their sum" });
  let wanted: number | null = null;
  let busy = false;
  const seek = async (): Promise<void> => {
    if (busy) return;
    busy = true;
    while (wanted !== null) {
      const frame = wanted;
      wanted = null;
      await app.ask("scrub", { frame });
    }
    busy = false;
  };
  scrub.addEventListener("input", () => {
    wanted = Number(scrub.value);
    void seek();
  });
  const update = (): void => {
    const scene = app.scene;
    const moving = scene?.mode === "dynamics" && scene.playing;
    swap(playButton, moving ? "pause" : "play");
    playButton.classList.toggle("on", moving === true);
    record.classList.toggle("on", recording);
    const count = scene?.recorded ?? 0;
    scrub.max = String(Math.max(0, count - 1));
    scrub.disabled = count === 0;
    const shown = app.frame?.trailer.scrub ?? null;
    if (shown !== null && document.activeElement !== scrub) scrub.value = String(shown);
    scrub.setAttribute("aria-valuetext", count === 0 ? "nothing recorded" : `frame ${Number(scrub.value) + 1} of ${count}`);
    say(frames, recording ? `recording · ${count}` : count === 0 ? "nothing recorded" : shown === null ? `${count} frames` : `${shown + 1} of ${count}`);
    back.classList.toggle("away", shown === null);
    const now = app.frame?.trailer;
    say(time, now?.time === null || now?.time === undefined ? "at rest" : `${now.time.toFixed(3)} s`);
    say(energy, now?.energy ? energyLine(now.energy) : "");
  };
  place.append(
    h("div", { class: "transport" },
      button("rewind", "Begin anew from rest", () => void toPresent(app).then(() => app.ask("rewind")), { id: "rewind" }),
      playButton,
      button("step", "One step (.)", () => stepOnce(app)),
      record,
      button("more", "Step, air and damping …", () => settings(app))),
    time, scrub, frames, back, energy,
  );
  app.on("scene", update);
  app.on("calm", update);
  update();
}

function swap(owner: HTMLButtonElement, name: IconName): void {
  if (owner.dataset["icon"] === name) return;
  owner.dataset["icon"] = name;
  owner.querySelector("svg")?.replaceWith(icon(name));
}

async function setRecording(app: App, on: boolean): Promise<void> {
  const done = await app.ask("record", { on });
  if (!done) return;
  recording = on;
  if (!on) app.notice(`${done.frames} frames recorded. Scrub through them below, or export them as a run file.`, "good");
  else if (app.scene?.mode !== "dynamics") play(app);
}

export function energyLine({ kinetic, elastic, potential, total }: { kinetic: number; elastic: number; potential: number; total: number }): string {
  const joule = (value: number): string => (Math.abs(value) < 1 ? `${(value * 1000).toPrecision(3)} mJ` : `${value.toPrecision(4)} J`);
  return `kinetic ${joule(kinetic)} · elastic ${joule(elastic)} · potential ${joule(potential)} · sum ${joule(total)}`;
}

function settings(app: App): void {
  const line = (key: keyof typeof pace, label: string, hint: string, dimension: "time" | "number"): HTMLElement => {
    const input = h("input", { type: "text", value: pace[key] === undefined ? "" : String(pace[key]), placeholder: "default", id: `pace.${key}` });
    input.addEventListener("change", () => {
      const value = toSi(fieldValue(input.value, dimension));
      if (input.value.trim() === "") delete pace[key];
      else if (value === null || value < 0) {
        app.notice(`“${input.value}” does not suit ${label.toLowerCase()}: a number of 0 or more is wanted.`, "error");
        return;
      } else pace[key] = value;
      setMode(app, app.scene?.mode ?? "statics", app.scene?.playing ?? false);
    });
    return h("div", { class: "field", title: hint }, h("label", { class: "field-label", for: `pace.${key}` }, label),
      h("div", { class: "field-value" }, input, h("span", { class: "unit" }, dimension === "time" ? "s" : "")));
  };
  dialog("Motion", "adding",
    line("step", "Step", "Seconds per step: small steps are finer and slower", "time"),
    line("drag", "Air", "Drag of the air: 0 for none", "number"),
    line("delay", "Strain damping", "Time by which inner stresses lag behind: damps fast vibrations", "time"),
    h("p", { class: "quiet" }, `Motion now: ${app.scene?.mode ?? "–"}${app.frame?.trailer.time ? `, ${withUnit(app.frame.trailer.time, "time")}` : ""}.`));
}
