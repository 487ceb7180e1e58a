// Files out of the page and into it.

import type { App } from "../app";
import { address, fetchJson } from "../connection";
import type { About, MeshAdded } from "../protocol";
import { ask, menu } from "./dialog";
import { askUnit, makeFlexible, takeCentreline } from "./flexible";
import { freshName, selectedCable } from "./scene-index";
import { openText, sessionName } from "./sessions";

function download(href: string, name: string): void {
  const link = document.createElement("a");
  link.href = href;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}

/** A file of the server: its error, where there is one, is read before anything is saved. */
async function downloadFrom(app: App, file: string, name: string, fields: Record<string, string> = {}): Promise<void> {
  try {
    const answer = await fetch(address(`/api/sessions/${encodeURIComponent(app.session)}/${file}`, fields));
    if (!answer.ok) {
      const body = (await answer.json().catch(() => null)) as { error?: { message?: string } } | null;
      throw new Error(body?.error?.message ?? `The server answered ${answer.status} to ${file}.`);
    }
    const url = URL.createObjectURL(await answer.blob());
    download(url, name);
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  } catch (error) {
    app.notice(error instanceof Error ? error.message : String(error), "error");
  }
}

/** The view's picture of itself. */
async function picture(app: App): Promise<void> {
  const hook = (window as unknown as { flexline?: { picture?: () => Blob | string | Promise<Blob | string> } }).flexline?.picture;
  if (!hook) {
    app.notice("There is no picture: the 3D view is not running.", "error");
    return;
  }
  const made = await hook();
  const url = typeof made === "string" ? made : URL.createObjectURL(made);
  download(url, `${app.session}.png`);
  if (typeof made !== "string") setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function exportMenu(app: App, owner: HTMLElement): void {
  const cable = selectedCable(app);
  const only = cable && app.selection ? { cable: cable.name } : undefined;
  const which = only ? `of ${only.cable}` : "of all cables";
  const base = only ? `${app.session}-${sessionName(only.cable)}` : app.session;
  menu(owner, [
    { text: `Centreline ${which}, CSV`, hint: "Positions, directions and loads at every node", act: () => void downloadFrom(app, "centreline.csv", `${base}.csv`, only) },
    { text: `Centreline ${which}, 2 mm steps, CSV`, hint: "Sampled evenly", act: () => void downloadFrom(app, "centreline.csv", `${base}.csv`, { ...only, step: "2mm" }) },
    { text: `Centreline ${which}, JSON`, act: () => void downloadFrom(app, "centreline.json", `${base}.json`, only) },
    ...(["step", "igs", "vda"] as const).map((ending) => ({
      text: `Centreline ${which}, ${{ step: "STEP", igs: "IGES", vda: "VDA-FS" }[ending]}`, hint: "A curve for CAD programs, within 0.01 mm",
      act: () => void downloadFrom(app, `centreline.${ending}`, `${base}.${ending}`, only),
    })),
    { text: "Scene file", hint: "The scene as it is now", act: () => void downloadFrom(app, "scene.toml", `${app.session}.toml`) },
    { text: "Journal of all commands", hint: "Replay it with flexline journal; attach it to a report", act: () => void downloadFrom(app, "journal.jsonl", `${app.session}.jsonl`) },
    { text: "Recorded motion", act: () => void downloadFrom(app, "motion.run", `${app.session}.run`) },
    { text: "Picture, PNG", act: () => void picture(app) },
  ]);
}

/** Lets a person choose files. */
export function chooseFiles(app: App): void {
  const input = document.createElement("input");
  input.type = "file";
  input.multiple = true;
  input.accept = [".toml", ...[...MESHES, ...LINES].map((each) => `.${each}`)].join(",");
  input.addEventListener("change", () => void takeFiles(app, [...(input.files ?? [])]));
  input.click();
}

/** Endings of mesh files; what a file is, its contents tell the server. */
const MESHES = ["stl", "obj", "ply", "glb", "gltf", "iv", "wrl", "vrml"];

/** Endings of files with lines that cables follow. */
const LINES = ["step", "stp", "igs", "iges", "vda", "csv", "pts", "xyz", "txt"];

export type FileKind = "scene" | "mesh" | "lines" | null;

export function fileKind(name: string): FileKind {
  const ending = name.toLowerCase().split(".").pop() ?? "";
  if (ending === "toml") return "scene";
  if (LINES.includes(ending)) return "lines";
  return MESHES.includes(ending) ? "mesh" : null;
}

/** Whether a STEP file is a surface of triangles and nothing else: no lines, no exact faces to take lines from. */
export function isTessellated(step: string): boolean {
  return /\bTRIANGULATED_(FACE|SURFACE_SET)\b/i.test(step.replaceAll("COMPLEX_", "")) && !/\b(GEOMETRIC_CURVE_SET|ADVANCED_FACE)\b/i.test(step);
}

/** What a file is: by its name, of STEP by its contents. */
async function kindOf(file: File): Promise<FileKind> {
  const kind = fileKind(file.name);
  return /\.(step|stp)$/i.test(file.name) && isTessellated(await file.text()) ? "mesh" : kind;
}

const MEBI = 1024 * 1024;
/** A mesh of more bytes than this takes long enough to say so. */
const PATIENCE = 4 * MEBI;

async function takeFiles(app: App, files: File[]): Promise<void> {
  const kinds = await Promise.all(files.map(kindOf));
  const of = (kind: FileKind): File[] => files.filter((_, k) => kinds[k] === kind);
  const meshes = of("mesh");
  for (const file of of(null)) {
    app.notice(`${file.name} is neither a scene (.toml) nor a mesh (${MESHES.map((each) => `.${each}`).join(", ")}), nor a file of lines (${LINES.map((each) => `.${each}`).join(", ")}): it was left alone.`, "error");
  }
  if (meshes.length > 0) await takeMeshes(app, meshes);
  for (const file of of("lines")) await takeCentreline(app, file);
  const [scene] = of("scene");
  if (scene) await takeScene(app, scene);
}

async function takeScene(app: App, file: File): Promise<void> {
  if (file.size > 16 * MEBI) {
    app.notice(`${file.name} has ${Math.round(file.size / MEBI)} MiB: a scene file has at most 16.`, "error");
    return;
  }
  await openText(app, sessionName(file.name), await file.text());
}

async function takeMeshes(app: App, files: File[]): Promise<void> {
  const many = files.length > 1 ? `these ${files.length} files` : (files[0]?.name ?? "");
  const kind = await ask("What is it?", `Is ${many} something that cables cannot enter, or the mesh of a hose or harness that is to become cables?`, [
    { text: "Obstacle", value: "obstacle", kind: "primary" }, { text: "Hose or cable", value: "cable" },
  ]);
  if (!kind) return;
  /** What one unit is, asked once for all files that do not say it. */
  let asked: string | null = null;
  const about = await fetchJson<About>("/api/about").catch(() => null);
  for (const file of files) {
    const most = about?.limits.mesh;
    if (most !== undefined && file.size > most) {
      app.notice(`${file.name} has ${Math.round(file.size / MEBI)} MiB, the studio takes ${Math.round(most / MEBI)} at most. Export a coarser mesh, or only what is near the cables.`, "error");
      continue;
    }
    if (file.size > PATIENCE) app.notice(`Reading ${file.name} …`);
    try {
      const done = await fetchJson<MeshAdded>(`/api/sessions/${encodeURIComponent(app.session)}/mesh`,
        { method: "POST", body: file }, { name: file.name });
      if (!done.unit && !asked) {
        asked = await askUnit(file.name);
        if (!asked) return;
      }
      const unit = done.unit ?? asked;
      const name = freshName(app.scene, file.name.replace(/\.[^.]*$/, "") || "mesh");
      const made = await app.command({ do: "add", kind: "obstacle", with: { name, mesh: done.mesh, unit, ...(done.up_axis ? { up_axis: done.up_axis } : {}) } });
      if (!made) continue;
      app.select({ thing: name, kind: "obstacle" });
      if (kind === "cable") await makeFlexible(app, name);
      else app.notice(`${file.name}: ${done.triangles} triangles that cables cannot enter.`, "good");
    } catch (error) {
      app.notice(error instanceof Error ? error.message : String(error), "error");
    }
  }
}

/** Files may be dropped anywhere on the page. */
export function mountDropping(app: App): void {
  const files = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
  const show = (on: boolean): void => void document.body.classList.toggle("dropping", on);
  window.addEventListener("dragover", (event) => {
    if (!files(event)) return;
    event.preventDefault();
    show(true);
  });
  window.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) show(false);
  });
  window.addEventListener("drop", (event) => {
    if (!files(event)) return;
    event.preventDefault();
    show(false);
    void takeFiles(app, [...(event.dataTransfer?.files ?? [])]);
  });
}
