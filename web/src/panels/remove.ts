// Removing: what is in use is not removed without asking, and its users are named.

import type { App, SelectedKind } from "../app";
import type { Command, Kind, SceneView } from "../protocol";
import { tryCommand } from "./act";
import { ask } from "./dialog";
import { tableKind } from "./keys";

type Removal = Extract<Command, { do: "remove" }>;

/** The name of a cable may be that of something else as well: only then its kind is needed. */
export function removeCommand(scene: SceneView | null, kind: Kind | "pulley", name: string): Removal {
  const it = tableKind(kind);
  const twice = scene?.cables.some((cable) => cable.name === name) && scene.things.some((thing) => thing.name === name);
  const nameless = ["load", "constraint", "motion", "pole", "obstacle", "bundle"].includes(it);
  return { do: "remove", name, ...(twice || nameless ? { kind: it } : {}) };
}

export async function remove(app: App, kind: SelectedKind, name: string): Promise<void> {
  const command = removeCommand(app.scene, kind, name);
  const answer = await tryCommand(app, command);
  if ("ok" in answer) return;
  // A refusal because of users names them; any other would be refused again.
  const choice = await ask(`Remove ${name}?`, answer.error.split("\n")[0] ?? answer.error, [
    { text: "Keep it", value: "keep" },
    { text: "Remove with its users", value: "users", kind: "danger" },
  ]);
  if (choice === "users") await app.command({ ...command, with_users: true });
}
