// What a tour is: steps that watch what a person really does.

import type { Selection } from "../app";
import type { Frame } from "../frame";
import type { Finding, SceneView } from "../protocol";

/** What the steps can see. */
export interface TourState {
  scene: SceneView;
  /** As it was when the step began. */
  before: SceneView;
  frame: Frame | null;
  findings: readonly Finding[];
  selection: Selection;
  /** Does this person hold something? */
  holding: boolean;
  /** What was done since the step began, by anybody. */
  did: readonly { verb: string; changes: readonly string[] }[];
}

export interface Step {
  title: string;
  text: string;
  /** Has it been done? Without this the person says when to go on. */
  done?: (state: TourState) => boolean;
  /** A selector of what to press: it is marked. */
  point?: string;
  /** Everything is shown when the step begins. */
  fit?: boolean;
}

export interface Tour {
  name: string;
  title: string;
  promise: string;
  scene: string;
  steps: Step[];
}

/** Has the selection a cable, of this name where one is given? */
export function selectedCableIs(state: Pick<TourState, "selection">, name?: string): boolean {
  const { selection } = state;
  return selection !== null && "cable" in selection && (name === undefined || selection.cable === name);
}

export function selectedThingIs(state: Pick<TourState, "selection">, name: string): boolean {
  const { selection } = state;
  return selection !== null && "thing" in selection && selection.thing === name;
}

/** Was one of these verbs done? */
export function hasDone(state: Pick<TourState, "did">, ...verbs: string[]): boolean {
  return state.did.some(({ verb }) => verbs.includes(verb));
}

export function lengthOf(scene: SceneView, cable: string): number {
  return scene.cables.find((each) => each.name === cable)?.length ?? 0;
}

/** Is a cable too short now? */
export function tooShort(state: Pick<TourState, "frame">): boolean {
  return (state.frame?.trailer.short.length ?? 0) > 0;
}
