// The one connection to the server: requests and their answers, events, frames. When it breaks it comes back by itself,
// and the server's state is fetched anew; nothing that was answered is lost, since the server keeps a journal.

import type { App, Server } from "./app";
import { decodeFrame, type Frame } from "./frame";
import type { Asked, Asking, FieldsOf, OpName } from "./messages";
import type { Answers, Begin, Failure, Reply, ServerEvent, SessionEntry } from "./protocol";

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
  timer: number;
}

const FIRST_WAIT = 250;
const LONGEST_WAIT = 8000;
/** Panels are filled this often at most, ms. */
const CALM = 100;
/** A solve is bounded on the server; an answer that takes longer than this does not come any more. */
const ANSWER_LIMIT = 60_000;

const LOST = "The connection to the server is lost. It is tried again; what you did last may not have been done.";

/** The address of a request. The token of the server is in a cookie that came with the page. */
export function address(path: string, fields: Record<string, string> = {}): string {
  const text = new URLSearchParams(fields).toString();
  return text ? `${path}?${text}` : path;
}

/** Fetches JSON; an error carries the server's sentence. */
export async function fetchJson<T>(path: string, init?: RequestInit, fields?: Record<string, string>): Promise<T> {
  const answer = await fetch(address(path, fields), init);
  const body = (await answer.json().catch(() => null)) as Partial<Failure> | null;
  if (!answer.ok) throw new Error(body?.error?.message ?? `The server answered ${answer.status} to ${path}.`);
  return body as T;
}

export class Connection implements Server {
  client = 0;
  private socket: WebSocket | null = null;
  private pending = new Map<number, Pending>();
  private nextId = 1;
  private wait = FIRST_WAIT;
  private retry = 0;
  private early: Frame | null = null;
  private app!: App;
  private ended = false;
  /** The timer of the next calm frame, and when the last one was. */
  private calm = 0;
  private calmed = -Infinity;

  /** Opens the session that the app names. */
  start(app: App): void {
    this.app = app;
    const now = () => {
      if (!this.ended && document.visibilityState === "visible" && this.socket === null) this.open();
    };
    window.addEventListener("online", now);
    document.addEventListener("visibilitychange", now);
    window.addEventListener("pagehide", () => {
      this.ended = true;
      this.socket?.close();
    });
    this.open();
  }

  request<O extends Asking>(op: O, ...fields: Asked<O>): Promise<Answers[O]> {
    return new Promise((resolve, reject) => {
      if (!this.ready()) {
        reject(new Error("The server cannot be reached right now; nothing was done. It is tried again."));
        return;
      }
      const id = this.nextId++;
      const timer = window.setTimeout(() => {
        this.pending.delete(id);
        reject(new Error(`The server did not answer to "${op}" within a minute.`));
      }, ANSWER_LIMIT);
      this.pending.set(id, { resolve: (value) => resolve(value as Answers[O]), reject, timer });
      this.socket?.send(JSON.stringify({ op, id, ...fields[0] }));
    });
  }

  send<O extends OpName>(op: O, fields: FieldsOf<O>): void {
    if (this.ready()) this.socket?.send(JSON.stringify({ op, ...fields }));
  }

  private ready(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  private open(): void {
    window.clearTimeout(this.retry);
    const url = new URL(address("/ws", { session: this.app.session }), location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => {
      const begun = performance.now();
      if (typeof event.data === "string") this.text(event.data);
      else this.binary(event.data);
      this.app.work += performance.now() - begun;
    };
    socket.onclose = (event) => {
      if (this.socket === socket) this.closed(event.reason);
    };
  }

  private closed(reason: string): void {
    this.socket = null;
    for (const waiting of this.pending.values()) {
      window.clearTimeout(waiting.timer);
      waiting.reject(new Error(reason || LOST));
    }
    this.pending.clear();
    this.early = null;
    if (this.ended) {
      this.tell("closed");
      return;
    }
    this.tell("lost");
    const pause = this.wait * (0.75 + 0.5 * Math.random());
    this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
    this.retry = window.setTimeout(() => void this.comeBack(), pause);
  }

  /** A server that was started anew may not have opened the session yet: its journal brings it back. */
  private async comeBack(): Promise<void> {
    try {
      const sessions = await fetchJson<SessionEntry[]>("/api/sessions");
      const text = this.app.scene?.text;
      if (!sessions.some((one) => one.name === this.app.session) && text !== undefined) {
        await fetchJson("/api/sessions", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ name: this.app.session, text } satisfies Begin),
        });
      }
    } catch {
      // The socket tells whether the server is there.
    }
    if (!this.ended && this.socket === null) this.open();
  }

  private tell(state: "open" | "lost" | "closed"): void {
    if (this.app.connection === state) return;
    this.app.connection = state;
    this.app.emit("connection", state);
  }

  private text(data: string): void {
    const message = JSON.parse(data) as Reply | ServerEvent;
    if ("reply" in message) {
      const id = Number(message.reply);
      const waiting = this.pending.get(id);
      if (!waiting) return;
      this.pending.delete(id);
      window.clearTimeout(waiting.timer);
      if ("error" in message) waiting.reject(new Error(message.error.message));
      else waiting.resolve(message.ok);
      return;
    }
    const app = this.app;
    switch (message.event) {
      case "welcome":
        this.client = message.client;
        this.wait = FIRST_WAIT;
        this.tell("open");
        break;
      case "scene": {
        app.scene = message.scene;
        app.emit("scene", app.scene);
        if (this.early?.revision === app.scene.revision) this.show(this.early);
        this.early = null;
        break;
      }
      case "checks":
        app.findings = message.findings;
        app.emit("findings", app.findings);
        break;
      case "did":
        app.emit("did", message);
        break;
      case "clients":
        app.emit("clients", message);
        break;
      case "notice":
        app.notice(message.message);
        break;
    }
  }

  private binary(data: ArrayBuffer): void {
    const frame = decodeFrame(data);
    if (!frame) return;
    const revision = this.app.scene?.revision ?? -1;
    if (frame.revision === revision) this.show(frame);
    // A frame may overtake the scene it belongs to.
    else if (frame.revision > revision) this.early = frame;
  }

  private show(frame: Frame): void {
    this.app.frame = frame;
    this.app.emit("frame", frame);
    if (this.calm !== 0) return;
    const wait = Math.max(0, CALM - (performance.now() - this.calmed));
    this.calm = window.setTimeout(() => {
      this.calm = 0;
      this.calmed = performance.now();
      if (this.app.frame) this.app.emit("calm", this.app.frame);
    }, wait);
  }
}
