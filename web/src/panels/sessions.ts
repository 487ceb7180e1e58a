// Opening scenes: each is a session with an address of its own.

import type { App } from "../app";
import { fetchJson } from "../connection";
import type { Began, Begin } from "../protocol";

/** Goes to a session. */
export function openSession(session: string, tour?: string | null): void {
  const query = new URLSearchParams(location.search);
  query.set("session", session);
  if (tour) query.set("tour", tour);
  else query.delete("tour");
  location.search = query.toString();
}

async function begin(app: App, body: Begin, tour?: string | null): Promise<void> {
  try {
    const { session } = await fetchJson<Began>("/api/sessions", {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
    });
    openSession(session, tour);
  } catch (error) {
    app.notice(error instanceof Error ? error.message : String(error), "error");
  }
}

export function openGalleryScene(app: App, gallery: string, tour?: string | null): Promise<void> {
  return begin(app, { gallery }, tour);
}

export function openText(app: App, name: string, text: string): Promise<void> {
  return begin(app, { name, text });
}

/** A name for a session out of the name of a file. */
export function sessionName(file: string): string {
  const base = file.replace(/\.[^.]*$/, "").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
  return base === "" ? "scene" : base.slice(0, 60);
}

/** A first cable between two ports: the beginning of everything. */
export const NEW_SCENE = `version = 1
title = "New scene"

[[port]]
name = "left"
position = [0, 0, 0]
tangent = [1, 0, 0]

[[port]]
name = "right"
position = ["400 mm", 0, 0]
tangent = [1, 0, 0]

[[cable]]
name = "cable"
length = "480 mm"
part = "wire-2.5"
from = "left"
to = "right"
`;

export function newScene(app: App): Promise<void> {
  const now = new Date().toISOString().slice(0, 19).replace(/[^\d]+/g, "-");
  return openText(app, `new-${now}`, NEW_SCENE);
}
