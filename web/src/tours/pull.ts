// Pull a cable through a bent conduit against friction: what slides is pressed, and chafes.

import { hasDone, selectedThingIs, type Tour, type TourState } from "./tour";

const HAND = "hand";

/** The force with which the conduit presses on the cable, N, friction included. */
export function held(state: Pick<TourState, "frame">): number {
  const own = (state.frame?.trailer.contacts ?? []).filter(({ by }) => by === "conduit");
  return own.reduce((sum, { force }) => sum + Math.hypot(...force), 0);
}

/** How far the hand has been led down, m; it begins at z = −300 mm. */
function pulled(state: Pick<TourState, "scene" | "frame">): number {
  const hand = state.scene.things.find(({ name }) => name === HAND);
  const z = hand === undefined ? Number.NaN : state.frame?.anchors[8 * hand.anchor + 2] ?? Number.NaN;
  return -0.3 - z;
}

export const pull: Tour = {
  name: "pull",
  title: "Pull a cable through a conduit",
  promise: "A cable is pulled through a bent conduit against friction: it sticks, slides and chafes where it is pressed.",
  scene: "cable-pulled-through-a-conduit",
  steps: [
    {
      title: "A cable in a conduit",
      text: "A stiff cable goes through a conduit with a bend and lies against its walls, which are rough. Select the hand that pulls, at the lower end.",
      done: (state) => selectedThingIs(state, HAND),
      point: '#tree [data-name="hand"]',
    },
    {
      title: "Pull",
      text: "Lead the hand down by its blue arrow, or press − at z on the right, by 2 mm or more. The cable sticks to the wall first, then it slides: arrows show forces that lean against the way it goes.",
      done: (state) => hasDone(state, "move") && pulled(state) > 0.0019 && held(state) > 0,
    },
    {
      title: "Let the other end follow",
      text: "What holds the other end back is called “brake”. Lead it towards the conduit, along x, by as much: the cable slides through the bend.",
      done: (state) => hasDone(state, "move") && !selectedThingIs(state, HAND) && held(state) > 0,
      point: '#tree [data-name="brake"]',
    },
    {
      title: "Where it chafes",
      text: "The checks tell the largest contact force and pressure, and what friction did since the scene was opened. With limits in the file (contact_pressure, chafing_work) they are judged.",
    },
  ],
};
