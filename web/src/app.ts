// The state of the page: what the server said last, what is selected, how it is shown. Everything that draws listens
// here; everything that acts asks here. Nothing else talks to the connection.

import type { Frame } from "./frame";
import type { Asked, Asking, EventOf, FieldsOf, OpName } from "./messages";
import type { Answers, Command, Finding, Kind, Outcome, SceneView, Vector } from "./protocol";

export type Quantity = "part" | "curvature" | "twist" | "tension" | "moment";

/** Kinds of what can be selected beside cables: those of the file, and wheels among eyes. */
export type SelectedKind = Kind | "pulley";

/** What is selected: a cable, perhaps at a place on it, or a thing. */
export type Selection =
  | { cable: string; at?: number }
  | { thing: string; kind: SelectedKind }
  | null;

/** What the next click in the view does. */
export type Tool =
  | { name: "select" }
  | { name: "cable"; from?: string }
  | { name: "measure"; from?: Vector }
  | { name: "clip" }
  | { name: "port" }
  | { name: "eye" }
  | { name: "obstacle" }
  /** Two places on an obstacle that is the mesh of a hose; `spots` are its ends and branches. */
  | { name: "flexible"; obstacle: string; material: string; spots: Vector[]; from?: Vector }
  | { name: "cut" }
  | { name: "branch" }
  | { name: "lengthen"; cable?: string; from?: number };

/** How the view is drawn; kept in the browser, not in the scene. */
export interface ViewOptions {
  /** The frames along the cables. */
  directors: boolean;
  /** The line on the skin that shows twist. */
  stripe: boolean;
  grid: boolean;
  /** Names beside things. */
  labels: boolean;
  perspective: boolean;
  /** Surroundings can be seen through. */
  translucent: boolean;
  /** `orbit`: left turns, right moves. `cad`: middle turns, with Shift moves; left only selects. */
  mouse: "orbit" | "cad";
  gizmo: "move" | "rotate";
  /** What lies beyond the plane is cut away; `offset` in metres along the axis. */
  section: { axis: "x" | "y" | "z"; offset: number; flip: boolean } | null;
}

export type CameraView = "front" | "back" | "left" | "right" | "top" | "bottom" | "iso" | "fit" | "selection";

export interface AppEvents {
  scene: SceneView;
  frame: Frame;
  /** The newest frame again, ten times a second at most: for what is read rather than watched. */
  calm: Frame;
  findings: Finding[];
  selection: Selection;
  quantity: Quantity;
  tool: Tool;
  theme: "dark" | "light";
  /** A sentence for the person. */
  notice: { message: string; kind: "info" | "good" | "error" };
  connection: "open" | "lost" | "closed";
  /** Show this place. */
  look: { position: Vector; size?: number };
  /** A click that a tool waits for. */
  picked: { cable?: string; at?: number; thing?: string; kind?: string; position: Vector; normal?: Vector; tangent?: Vector };
  /** Somebody else, or this page, did something. */
  did: EventOf<"did">;
  clients: EventOf<"clients">;
  options: ViewOptions;
  camera: CameraView;
  /** Cut everything open along a plane, or no more. */
  section: undefined;
  /** Names of cables and things that are not drawn. */
  hidden: ReadonlySet<string>;
  /** The place on a cable under the pointer, in the view or in a plot. */
  hover: { cable: string; at: number } | null;
  /** From a drag's pointer event to its drawn result, ms. */
  latency: number;
}

type Listener<K extends keyof AppEvents> = (value: AppEvents[K]) => void;

/** Sends a request and waits for its answer. */
export interface Server {
  request<O extends Asking>(op: O, ...fields: Asked<O>): Promise<Answers[O]>;
  /** Sends without an answer. */
  send<O extends OpName>(op: O, fields: FieldsOf<O>): void;
  client: number;
}

const OPTIONS: ViewOptions = {
  directors: false,
  stripe: true,
  grid: true,
  labels: false,
  perspective: true,
  translucent: true,
  mouse: "orbit",
  gizmo: "move",
  section: null,
};

export class App {
  scene: SceneView | null = null;
  frame: Frame | null = null;
  findings: Finding[] = [];
  selection: Selection = null;
  quantity: Quantity = "curvature";
  tool: Tool = { name: "select" };
  session = "";
  options: ViewOptions = { ...OPTIONS };
  hidden: ReadonlySet<string> = new Set();
  connection: AppEvents["connection"] = "lost";
  /** Script spent on messages since the view was drawn last, ms. */
  work = 0;
  private listeners = new Map<keyof AppEvents, Set<Listener<never>>>();

  constructor(readonly server: Server) {}

  on<K extends keyof AppEvents>(event: K, listener: Listener<K>): () => void {
    const all = this.listeners.get(event) ?? new Set();
    this.listeners.set(event, all);
    all.add(listener as Listener<never>);
    return () => all.delete(listener as Listener<never>);
  }

  emit<K extends keyof AppEvents>(event: K, value: AppEvents[K]): void {
    for (const listener of this.listeners.get(event) ?? []) (listener as Listener<K>)(value);
  }

  select(selection: Selection): void {
    this.selection = selection;
    this.emit("selection", selection);
  }

  use(tool: Tool): void {
    this.tool = tool;
    this.emit("tool", tool);
  }

  show(quantity: Quantity): void {
    this.quantity = quantity;
    this.emit("quantity", quantity);
  }

  setOptions(options: Partial<ViewOptions>): void {
    this.options = { ...this.options, ...options };
    this.emit("options", this.options);
  }

  /** Draws a cable or thing, or does not. */
  setHidden(name: string, hide: boolean): void {
    const all = new Set(this.hidden);
    if (hide) all.add(name);
    else all.delete(name);
    this.hidden = all;
    this.emit("hidden", all);
  }

  notice(message: string, kind: AppEvents["notice"]["kind"] = "info"): void {
    this.emit("notice", { message, kind });
  }

  /** Asks the server; an error becomes a notice and `null`. */
  async ask<O extends Asking>(op: O, ...fields: Asked<O>): Promise<Answers[O] | null> {
    try {
      return await this.server.request(op, ...fields);
    } catch (error) {
      this.notice(error instanceof Error ? error.message : String(error), "error");
      return null;
    }
  }

  /** Does something to the scene. */
  command(command: Command): Promise<Outcome | null> {
    return this.ask("command", { command });
  }
}
