// Twist a ring until it snaps: stability made visible.

import { selectedCableIs, spread, type Tour, type TourState } from "./tour";

const LAST = "piece 3";

/** Turns given to the ring at its seam. */
export function turnsGiven(state: Pick<TourState, "scene">): number {
  return Math.abs(state.scene.cables.find((cable) => cable.name === LAST)?.twist ?? 0) / (2 * Math.PI);
}

/** A flat ring has no height; one that has snapped leaves its plane. */
export function snapped(state: Pick<TourState, "frame">): boolean {
  return spread(state.frame, 2) > 0.01;
}

export const ring: Tour = {
  name: "ring",
  title: "Twist a ring until it snaps",
  promise: "A flat ring takes twist up to a point, then jumps out of its plane.",
  scene: "twisted-ring",
  steps: [
    {
      title: "A ring with a turn in it",
      text: "Three pieces of a rod, joined to a ring, with one full turn of twist: follow the stripe. It lies flat and is stable. Select “piece 3”, which ends at the seam.",
      done: (state) => selectedCableIs(state, LAST),
      point: '#tree [data-name="piece 3"]',
    },
    {
      title: "Colour shows twist",
      text: "Choose “Colour: twist” at the top if you like: the turn spreads evenly over all three pieces, through both junctions.",
    },
    {
      title: "One more turn",
      text: "Press +1 at “Turn of the end” on the right. Two turns: twice the twist, and still a flat ring.",
      done: (state) => turnsGiven(state) > 1.9,
      point: "#turn-on",
    },
    {
      title: "Now it snaps",
      text: "The theory says: above √3 · K/K3 turns, here 2.3, a flat ring is no longer stable (Michell 1889). Go on turning, by quarters if you like, and watch.",
      done: (state) => turnsGiven(state) > 2.3 && snapped(state),
      point: "#turn-on",
    },
    {
      title: "What happened",
      text: "The ring left its plane and turned twist into a loop in space: that costs less energy. The winding counter on the right shows how much twist is left. A hose that is mounted with a turn too many does the same, and kinks.",
    },
    {
      title: "And back",
      text: "Turn back with −1, to one turn or less, or undo. Does it find its way back to the flat ring it was?",
      done: (state) => turnsGiven(state) < 1.6 && turnsGiven({ scene: state.before }) > 1.6,
      point: "#undo",
    },
  ],
};
