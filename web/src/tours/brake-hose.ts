// Lay a brake hose: the whole way from looking to a hose that moves with its wheel and passes its checks.

import { hasDone, lengthOf, selectedCableIs, selectedThingIs, type Tour, type TourState } from "./tour";

const HOSE = "brake hose";

/** Do all checks of a state at rest pass? */
export function allPass(state: Pick<TourState, "findings" | "frame">): boolean {
  return state.frame?.trailer.status === "converged" && state.findings.length > 0 && state.findings.every((each) => each.verdict !== "fail");
}

export const brakeHose: Tour = {
  name: "brake-hose",
  title: "Lay a brake hose",
  promise: "Pull it, move the wheel, find the right length, clip it to the strut.",
  scene: "brake-hose",
  steps: [
    {
      title: "A hose and two ends",
      text: "A brake hose runs from a bracket on the body to the caliper of a front wheel. Its stripe shows how it is twisted, its colour how much of the allowed bending is used. Drag beside the hose to turn the view, then click the hose.",
      done: (state) => selectedCableIs(state),
    },
    {
      title: "Take it in your hand",
      text: "Drag the hose anywhere, by any point. It bends as a real one would; the plots below follow. Let go and it springs back.",
      done: (state) => state.holding,
    },
    {
      title: "Select the caliper",
      text: "Click “end” in the tree on the left: this is the banjo bolt on the caliper.",
      done: (state) => selectedThingIs(state, "end"),
      point: '#tree [data-name="end"]',
    },
    {
      title: "The wheel goes down",
      text: "Move the end: pull one of the arrows in the view, or press − beside z on the right until it is lower. The hose follows.",
      done: (state) => hasDone(state, "move", "drop"),
      point: "#properties",
    },
    {
      title: "Try another length",
      text: "Select the hose again and move the slider “Length” on the right. Too short, and the bend gets sharp or the hose cannot reach; too long, and it hangs into the wheel. Leave it at another length than before.",
      done: (state) => Math.abs(lengthOf(state.scene, nameOfHose(state)) - lengthOf(state.before, nameOfHose(state))) > 1e-4,
      point: '[id="cable.length"]',
    },
    {
      title: "Until the checks pass",
      text: "The list of checks on the left names the sharpest bend and what is allowed; click it to see the place. Choose a length at which nothing fails.",
      done: allPass,
      point: "#checks",
    },
    {
      title: "Clip it",
      text: "Take the clip tool (C) and click the hose near its middle: a clip now holds it there, as a bracket on the strut would.",
      done: (state) => state.scene.things.some((thing) => thing.kind === "clip"),
      point: "#tool-clip",
    },
    {
      title: "Nothing is lost",
      text: "Undo a change with Ctrl+Z. Every change is kept, on the disk too: close the page, even kill the studio, and come back to the same hose.",
      done: (state) => state.scene.redo > state.before.redo || hasDone(state, "undo"),
      point: "#undo",
    },
  ],
};

/** Once it is clipped the hose is part of a harness; it keeps its name. */
function nameOfHose(state: TourState): string {
  return state.scene.cables.some((cable) => cable.name === HOSE) ? HOSE : (state.scene.cables[0]?.name ?? HOSE);
}
