// Thread a plug with its cable through an aperture: the cable follows, lies on the rim and never passes through the plate.

import { hasDone, selectedThingIs, type Tour, type TourState } from "./tour";

const PLUG = "plug";

/** Where the plug is along x, m: the plate stands at x = 0. */
export function plugAt(state: Pick<TourState, "scene" | "frame">): number {
  const plug = state.scene.things.find(({ name }) => name === PLUG);
  return plug === undefined ? Number.NaN : state.frame?.anchors[8 * plug.anchor] ?? Number.NaN;
}

/** Does the cable touch the plate? */
const touches = (state: Pick<TourState, "frame">): boolean => (state.frame?.trailer.contacts ?? []).some(({ by }) => by === "plate");

export const thread: Tour = {
  name: "thread",
  title: "Thread a plug through an aperture",
  promise: "A plug goes through an aperture with its cable; the cable lies on the rim and never passes through the plate.",
  scene: "cable-through-an-aperture",
  steps: [
    {
      title: "A plug before a plate",
      text: "A cable leads from its socket to a plug, which is to go through the aperture of the plate. Select the plug.",
      done: (state) => selectedThingIs(state, PLUG),
      point: '#tree [data-name="plug"]',
    },
    {
      title: "Through the aperture",
      text: "Lead the plug by its red arrow through the aperture, or press + at x on the right, until it is 20 mm behind the plate. Its cable follows through the aperture.",
      done: (state) => hasDone(state, "move") && plugAt(state) > 0.02,
    },
    {
      title: "Down behind the plate",
      text: "Lead it down by its blue arrow until the cable lies on the rim of the aperture: the arrow shows how hard it presses there.",
      done: (state) => hasDone(state, "move") && plugAt(state) > 0.02 && touches(state),
    },
    {
      title: "It stays threaded",
      text: "Undo, redo, drag the cable: it may slide on the rim but does not leave the aperture. A scene that is saved remembers the way that the cable goes.",
    },
  ],
};
