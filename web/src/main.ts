// The page begins here: which session, then the connection, the view and the panels.

import "./style/base.css";
import "./style/panels.css";
import { App } from "./app";
import { Connection, fetchJson } from "./connection";
import { mountPanels } from "./panels";
import { showMissingSession } from "./panels/gallery";
import type { Began, Begin, SessionEntry } from "./protocol";
import { mountView } from "./view";

const OPTIONS_KEY = "flexline.options";

/** The session in the address, which may not be there; else the first that is open; else the brake hose. */
async function chooseSession(): Promise<{ session: string; found: boolean }> {
  const query = new URLSearchParams(location.search);
  const asked = query.get("session");
  const sessions = await fetchJson<SessionEntry[]>("/api/sessions");
  if (asked) return { session: asked, found: sessions.some((one) => one.name === asked) };
  const session = sessions[0]?.name ?? (await openGallery("brake-hose"));
  query.set("session", session);
  history.replaceState(null, "", `?${query.toString()}`);
  return { session, found: true };
}

async function openGallery(gallery: string): Promise<string> {
  const opened = await fetchJson<Began>("/api/sessions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ gallery } satisfies Begin),
  });
  return opened.session;
}

/** What a person set about the view is there again next time. */
function rememberOptions(app: App): void {
  try {
    const kept = JSON.parse(localStorage.getItem(OPTIONS_KEY) ?? "{}") as object;
    app.options = { ...app.options, ...kept, section: null };
  } catch {
    localStorage.removeItem(OPTIONS_KEY);
  }
  app.on("options", (options) => localStorage.setItem(OPTIONS_KEY, JSON.stringify(options)));
}

async function start(): Promise<void> {
  const connection = new Connection();
  const app = new App(connection);
  rememberOptions(app);
  mountPanels(app);
  mountView(app);
  for (;;) {
    try {
      const { session, found } = await chooseSession();
      app.session = session;
      if (found) connection.start(app);
      else showMissingSession(app, session);
      return;
    } catch (error) {
      app.notice(error instanceof Error ? error.message : String(error), "error");
      await new Promise((done) => setTimeout(done, 2000));
    }
  }
}

void start();
