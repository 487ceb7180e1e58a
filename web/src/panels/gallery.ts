// The gallery: scenes a click away, tours, and sessions to come back to.

import type { App } from "../app";
import { fetchJson } from "../connection";
import type { GalleryEntry, SessionEntry } from "../protocol";
import { ask, dialog } from "./dialog";
import { button, h } from "./dom";
import { icon } from "./icons";
import { newScene, openGalleryScene, openSession } from "./sessions";
import { TOURS } from "../tours";

/** Scenes with every word of the search. */
export function found(entries: readonly GalleryEntry[], search: string): GalleryEntry[] {
  const words = search.toLowerCase().split(/\s+/).filter((word) => word !== "");
  return entries.filter((entry) => words.every((word) => `${entry.name} ${entry.title} ${entry.description}`.toLowerCase().includes(word)));
}

export async function openGallery(app: App): Promise<void> {
  const failed = (error: unknown): never[] => {
    app.notice(error instanceof Error ? error.message : String(error), "error");
    return [];
  };
  const [entries, sessions] = await Promise.all([
    fetchJson<GalleryEntry[]>("/api/gallery").catch(failed),
    fetchJson<SessionEntry[]>("/api/sessions").catch(failed),
  ]);
  const search = h("input", { type: "search", placeholder: "Search scenes", "aria-label": "Search scenes" });
  const cards = h("div", { class: "cards" });
  const fill = (): void => cards.replaceChildren(...found(entries, search.value).map((entry) => card(app, entry)));
  search.addEventListener("input", fill);
  fill();
  const others = sessions.filter((session) => session.name !== app.session);
  dialog("Gallery", "gallery",
    h("section", {}, h("h3", {}, "Guided tours"), h("div", { class: "cards tours" }, ...TOURS.map((tour) => h("button", {
      type: "button", class: "card tour-card", data: { tour: tour.name }, on: { click: () => void openGalleryScene(app, tour.scene, tour.name) },
    }, icon("tour"), h("b", {}, tour.title), h("p", {}, tour.promise))))),
    others.length > 0 ? h("section", {}, h("h3", {}, "Come back to"), h("div", { class: "sessions" }, ...others.map((session) => sessionRow(app, session)))) : null,
    h("section", {}, h("div", { class: "section-title" }, h("h3", {}, "Scenes"), search,
      button("file", "Two ports and a cable between them", () => void newScene(app), { text: "New scene", kind: "primary" })), cards));
}

/** A session to come back to, or to delete. */
function sessionRow(app: App, session: SessionEntry): HTMLElement {
  const title = session.title || session.name;
  const gone = async (): Promise<void> => {
    const answer = await ask(`Delete “${title}”?`,
      `Its ${session.changes} changes and its surroundings are gone then, and this cannot be undone. A scene file that was saved stays.`,
      [{ text: "Keep it", value: "keep" }, { text: "Delete", value: "delete", kind: "danger" }]);
    if (answer !== "delete") return;
    try {
      await fetchJson(`/api/sessions/${encodeURIComponent(session.name)}`, { method: "DELETE" });
      row.remove();
    } catch (error) {
      app.notice(error instanceof Error ? error.message : String(error), "error");
    }
  };
  const row = h("div", { class: "session", data: { session: session.name } },
    button("history", `${session.changes} changes, ${session.clients} here now`, () => openSession(session.name),
      { text: `${title} · ${session.changes} changes${session.clients > 0 ? ` · ${session.clients} here` : ""}` }),
    button("trash", `Delete ${title}`, () => void gone(), { kind: "session-delete" }));
  return row;
}

/** An address may name a session that is not here: a sentence says so, with the way to what there is. */
export function showMissingSession(app: App, session: string): void {
  const words = h("div", { id: "nosession" },
    h("p", { role: "alert" }, `There is no session “${session}” here.`),
    h("p", {}, "Its name may be misspelt, or its journal is in another folder (--folder)."),
    button("gallery", "Choose a scene, or another session", () => void openGallery(app), { text: "Open the gallery", kind: "primary" }));
  document.getElementById("view")?.append(words);
  words.querySelector("button")?.focus();
}

function card(app: App, entry: GalleryEntry): HTMLElement {
  return h("button", { type: "button", class: "card", data: { scene: entry.name }, title: entry.description, on: { click: () => void openGalleryScene(app, entry.name) } },
    h("img", { src: `/api/gallery/${encodeURIComponent(entry.name)}.svg`, alt: "", loading: "lazy" }),
    h("b", {}, entry.title), h("p", {}, entry.description),
    h("small", {}, `${entry.cables} cable${entry.cables === 1 ? "" : "s"}${entry.tour ? " · with a tour" : ""}`));
}
