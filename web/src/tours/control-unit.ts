// Pull the control unit out of its bay until its cables are taut, and learn how much reserve is missing.

import { hasDone, selectedThingIs, tooShort, type Tour, type TourState } from "./tour";

/** A cable under notable tension, N. */
const TAUT = 8;

/** The largest tension in a frame, N. */
export function largestTension(state: Pick<TourState, "frame">): number {
  const frame = state.frame;
  let most = 0;
  for (let node = 0; frame && node < frame.nodes; node++) most = Math.max(most, frame.loads[4 * node + 2] ?? 0);
  return most;
}

export const controlUnit: Tour = {
  name: "control-unit",
  title: "Pull the control unit",
  promise: "Out of its bay until the cables are taut: how much length is missing for service?",
  scene: "control-unit",
  steps: [
    {
      title: "A unit on its cables",
      text: "A control unit of 0.4 kg has come off its bracket and hangs from its two cables. Click it.",
      done: (state) => selectedThingIs(state, "unit"),
      point: '#tree [data-name="unit"]',
    },
    {
      title: "Pull",
      text: "Drag the unit towards you, out of its bay. The cables come along and stretch out.",
      done: (state) => state.holding || hasDone(state, "move", "drop"),
    },
    {
      title: "Until they are taut",
      text: "Pull on, as far as a mechanic would: 400 mm, say. Colour by tension at the top shows how hard the cables pull back. A cable that would have to be longer says so.",
      done: (state) => tooShort(state) || largestTension(state) > TAUT,
      point: "#quantity",
    },
    {
      title: "How much is missing",
      text: "Pull until a cable is too short, and put the unit down there: hold Ctrl when you let go, or type a position on the right. The checks on the left then name every cable that lacks length, in millimetres.",
      done: (state) => !state.holding && tooShort(state),
      point: "#checks",
    },
    {
      title: "Give it the reserve",
      text: "Press “Lengthen by …” in the checks, for every cable that lacks length, until the state is an equilibrium again. That is the service loop this unit needs.",
      done: (state) => hasDone(state, "set-length", "prolong", "end-preview") && !tooShort(state) && state.frame?.trailer.status === "converged",
      point: "#checks .button.primary",
    },
    {
      title: "Let it hang",
      text: "Select the unit and press “Let go”. It swings back to where weight and stiffness balance, now on longer cables. For the motion itself press “Dynamics” at the top.",
      done: (state) => hasDone(state, "release", "mode") || state.scene.mode === "dynamics",
      point: "#mode-dynamics",
    },
  ],
};
