// Push a hose aside with a block, and get the block out again: contact that holds.

import type { SceneView } from "../protocol";
import { hasDone, selectedThingIs, type Tour, type TourState } from "./tour";

const BLOCK = "block";

/** The force with which the block presses on the hose, N. */
export function pressed(state: Pick<TourState, "frame">): number {
  const own = (state.frame?.trailer.contacts ?? []).filter(({ by }) => by === BLOCK);
  return own.reduce((sum, { force }) => sum + Math.hypot(...force), 0);
}

/** Whether the scene has a clip. */
const clipped = (scene: SceneView): boolean => scene.things.some(({ kind }) => kind === "clip");

export const pushAside: Tour = {
  name: "push-aside",
  title: "Push a hose aside",
  promise: "A block pushes a hose aside and comes out again; nothing passes through anything.",
  scene: "hose-pushed-aside",
  steps: [
    {
      title: "A hose and a block",
      text: "A hose hangs between two fittings, and a block just touches it: the arrow shows the force. Select the block.",
      done: (state) => selectedThingIs(state, BLOCK),
      point: '#tree [data-name="block"]',
    },
    {
      title: "Push",
      text: "Lead the block by its green arrow against the hose, or press + at y on the right. The hose goes with it and does not pass through it, however fast you are. Push until the force is above a tenth of a newton.",
      done: (state) => hasDone(state, "move") && pressed(state) > 0.1,
    },
    {
      title: "Read what it costs",
      text: "The word beside the arrow says how hard the block presses; below the checks tell the least clearance and the largest contact force. With limits in the file (clearance, contact_force) they are judged.",
    },
    {
      title: "Hold it there",
      text: "Press C, select the hose, and click the block: a clip holds the hose on the surface that you clicked. Or click the hose itself: the clip holds it where it is.",
      done: (state) => clipped(state.scene) && !clipped(state.before),
    },
    {
      title: "Get the block out",
      text: "Undo the clip, then lead the block back until nothing presses any more. The words now say how far the hose is away from it.",
      done: (state) => hasDone(state, "move") && pressed(state) === 0,
      point: "#undo",
    },
  ],
};
