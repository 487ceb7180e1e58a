// The line at the foot: how well the state is known, and how fast it came.

import type { App } from "../app";
import type { Status, Trailer } from "../protocol";
import { h, say } from "./dom";
import { digits } from "./units";

const WORDS: Record<Status, { text: string; mood: "good" | "warn" | "bad" }> = {
  converged: { text: "Equilibrium", mood: "good" },
  too_short: { text: "Too short", mood: "bad" },
  conflict: { text: "Conflict", mood: "bad" },
  iteration_limit: { text: "Not at rest yet", mood: "warn" },
  out_of_time: { text: "Not at rest yet", mood: "warn" },
  cancelled: { text: "Not at rest yet", mood: "warn" },
  folded: { text: "Folded double", mood: "bad" },
  no_progress: { text: "Not at rest", mood: "warn" },
  numerical_failure: { text: "Numerical failure", mood: "bad" },
  energy_gained: { text: "A step created energy", mood: "bad" },
};

/** The word and the mood for a status of the solver. */
export function statusWord(trailer: Pick<Trailer, "status" | "unstable" | "time">): { text: string; mood: "good" | "warn" | "bad" } {
  const known = WORDS[trailer.status];
  if (trailer.status !== "converged") return known;
  if (trailer.unstable > 0) return { text: "Unstable equilibrium", mood: "warn" };
  return trailer.time !== null ? { ...known, text: "In motion" } : known;
}

const PING = 3000;

export function mountStatus(app: App, place: HTMLElement): void {
  const item = (title: string, name: string): HTMLElement => h("span", { class: "status-item", title, data: { item: name } });
  const status = item("What the solver says about this state", "status");
  const line = h("span", { class: "status-line" });
  const residual = item("Largest force out of balance, N", "residual");
  const violation = item("Largest distance by which something held is missed", "violation");
  const stable = item("Directions in which the state would give way", "stability");
  const effort = item("Iterations and time of the last solve", "effort");
  const latency = item("From a request to its answer; while dragging, from the pointer to the drawn result", "latency");
  const connection = item("The connection to the studio", "connection");
  // Only what the state is called is read out: numbers change with every frame.
  status.setAttribute("role", "status");
  place.append(status, line, h("span", { class: "spacer" }), residual, violation, stable, effort, latency, connection);
  const show = (): void => {
    const trailer = app.frame?.trailer;
    if (!trailer) return;
    const { text, mood } = statusWord(trailer);
    say(status, trailer.preview ? `${text} (preview)` : text);
    status.className = `status-item mood ${mood}`;
    say(line, trailer.line);
    say(residual, `residual ${digits(trailer.residual, 2)}`);
    say(violation, `violation ${digits(trailer.violation * 1000, 2)} mm`);
    // Without equilibrium there is nothing that could be stable.
    const stability = trailer.unstable > 0 ? `${trailer.unstable} unstable` : "stable";
    say(stable, trailer.status === "converged" ? stability : "no equilibrium");
    stable.classList.toggle("warn", trailer.unstable > 0);
    say(effort, `${trailer.iterations} iterations · ${digits(trailer.solve_ms, 3)} ms`);
  };
  app.on("calm", show);
  app.on("connection", (state) => {
    say(connection, state === "open" ? "connected" : state === "lost" ? "connecting …" : "closed");
    connection.className = `status-item mood ${state === "open" ? "good" : "bad"}`;
  });
  app.on("latency", (ms) => say(latency, `latency ${digits(ms, 3)} ms`));
  say(connection, "connecting …");
  setInterval(() => void ping(app, latency), PING);
}

async function ping(app: App, latency: HTMLElement): Promise<void> {
  if (document.hidden || app.connection !== "open") return;
  const from = performance.now();
  try {
    await app.server.request("ping");
    say(latency, `latency ${digits(performance.now() - from, 3)} ms`);
  } catch {
    say(latency, "no answer");
  }
}
