// Asking the server where the answer belongs to a field and not into a toast; and previews that never queue.

import type { App } from "../app";
import type { Asked, Asking } from "../messages";
import type { Answers, Command, Outcome } from "../protocol";
import { sentence } from "./sentence";

export type Answer<T> = { ok: T } | { error: string };

/** Asks; an error is an answer. */
export async function attempt<O extends Asking>(app: App, op: O, ...fields: Asked<O>): Promise<Answer<Answers[O]>> {
  try {
    return { ok: await app.server.request(op, ...fields) };
  } catch (error) {
    return { error: sentence(error instanceof Error ? error.message : String(error)) };
  }
}

/** Does something; an error is an answer. */
export function tryCommand(app: App, command: Command): Promise<Answer<Outcome>> {
  return attempt(app, "command", { command });
}

/** Shows commands without keeping them. One request is under way at a time; what comes meanwhile replaces what waits. */
export class Preview {
  private waiting: Command | null = null;
  private shown: Command | null = null;
  private running: Promise<void> | null = null;
  private problem: string | null = null;

  constructor(private readonly app: App, private readonly report: (error: string | null) => void) {}

  get active(): boolean {
    return this.shown !== null || this.running !== null;
  }

  show(command: Command): void {
    this.waiting = command;
    this.running ??= this.run();
  }

  private async run(): Promise<void> {
    while (this.waiting) {
      const command = this.waiting;
      this.waiting = null;
      const answer = await attempt(this.app, "preview", { command });
      this.problem = "error" in answer ? answer.error : null;
      if (this.problem === null) this.shown = command;
      this.report(this.problem);
    }
    this.running = null;
  }

  /** Keeps what is shown, or lets it go; resolves to an error or `null`. */
  async end(keep: boolean): Promise<string | null> {
    await this.running;
    const refused = this.problem;
    const shown = this.shown;
    this.shown = null;
    this.problem = null;
    if (!shown) return refused;
    const answer = await attempt(this.app, "end-preview", { keep: keep && refused === null });
    return "error" in answer ? answer.error : refused;
  }
}
