// Twist a ring until it snaps: stability made visible.

import { selectedCableIs, type Tour, type TourState } from "./tour";

const LAST = "piece 3";

/** Turns given to the ring at its seam. */
export function turnsGiven(state: Pick<TourState, "scene">): number {
  return Math.abs(state.scene.cables.find((cable) => cable.name === LAST)?.twist ?? 0) / (2 * Math.PI);
}

/** Turns that are wound up in the ring as twist. */
export function turnsWound(state: Pick<TourState, "frame">): number {
  return Math.abs((state.frame?.trailer.turns ?? []).reduce((sum, turns) => sum + turns, 0));
}

/**
 * A ring that has snapped holds less twist than it was given. It passes through itself, which takes two turns at once
 * (Calugareanu: link = twist + writhe); its twist alone tells, since the flat ring may lie in any plane through the seam.
 */
export function snapped(state: Pick<TourState, "scene" | "frame">): boolean {
  return turnsGiven(state) - turnsWound(state) > 1;
}

export const ring: Tour = {
  name: "ring",
  title: "Twist a ring until it snaps",
  promise: "A ring takes twist up to a point, then jumps out of its plane.",
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
      fit: true,
      text: "The theory says: above √3 · K/K3 turns, here 2.3, a flat ring is no longer stable (Michell 1889). Go on turning, by quarters if you like, and watch.",
      done: (state) => turnsGiven(state) > 2.3 && snapped(state),
      point: "#turn-on",
    },
    {
      title: "What happened",
      fit: true,
      text: "The ring jumped out of its plane, crossed itself and lay down again. You turned on, yet “Wound up in the cable” fell: two turns of twist went into the crossing. A hose cannot pass through itself: mounted with a turn too many it stops on that way, as a loop or a kink.",
    },
    {
      title: "And back",
      fit: true,
      text: "Turn back with −1 until one turn is left. The ring does not become what it was: it is now wound the other way, since the way there matters, as with a real one. Undo (Ctrl+Z) brings back the ring you began with.",
      done: (state) => turnsGiven(state) < 1.6 && turnsGiven({ scene: state.before }) > 1.6,
      point: "#undo",
    },
  ],
};
