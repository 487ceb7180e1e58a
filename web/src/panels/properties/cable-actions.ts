// What can be done to a cable: one form per verb of COMMANDS.md.

import type { Cable, SceneView } from "../../protocol";
import { anchorNames, freshName, onCable } from "../scene-index";
import { digits } from "../units";
import { typedForm, type Form } from "./form";

const mm = (value: number): string => digits(value * 1000);

/** Cables with a free end. */
function loose(scene: SceneView, but: string): string[] {
  return scene.cables.filter((cable) => cable.to === "free" && cable.name !== but).map((cable) => cable.name);
}

export function cableForms(scene: SceneView, cable: Cable, at: number | undefined): Form[] {
  const name = cable.name;
  const here = mm(at ?? cable.length / 2);
  const places = onCable(scene, name).map((thing) => thing.name);
  const free = cable.to === "free";
  const forms: Form[] = [
    typedForm({
      id: "add-handle", title: "Add a handle", icon: "clip", act: "Add handle",
      hint: "A clip that holds the cable where it is now.",
      fields: [
        { name: "at", label: "Place", input: { is: "place", value: here } },
        { name: "hold", label: "Hold", input: { is: "choice", of: ["clamped", "pinned", "free"], value: "clamped" } },
        { name: "name", label: "Name", input: { is: "text" }, optional: true },
      ],
      command: ({ at: place, hold, name: own }) => ({ do: "add-handle", cable: name, at: place, hold, name: own }),
    }),
    typedForm({
      id: "equidistant", title: "Equidistant handles", icon: "clip", act: "Divide",
      hint: "Handles that divide the cable, or a stretch of it, into equal pieces.",
      fields: [
        { name: "count", label: "How many", input: { is: "count", value: "3" } },
        { name: "from", label: "From", input: { is: "place" }, optional: true },
        { name: "to", label: "To", input: { is: "place" }, optional: true },
        { name: "hold", label: "Hold", input: { is: "choice", of: ["clamped", "pinned", "free"], value: "pinned" } },
      ],
      command: ({ count, from, to, hold }) => ({ do: "equidistant-handles", cable: name, count, from, to, hold }),
    }),
    typedForm({
      id: "prolong", title: "Prolong at an end", icon: "lengthen", act: "Prolong",
      hint: "Longer at one end; below zero it gets shorter. What is on it stays, counted from the other end.",
      fields: [
        { name: "by", label: "By", input: { is: "quantity", dimension: "length", value: "20" } },
        { name: "end", label: "At", input: { is: "choice", of: ["to", "from"], value: "to" } },
      ],
      command: ({ by, end }) => ({ do: "prolong", cable: name, by, end }),
    }),
    typedForm({
      id: "between", title: "Length between two points", icon: "measure", act: "Set length",
      hint: "Changes only the piece between two places: millimetres, shares or names of clips. Give the new length or the change.",
      fields: [
        { name: "from", label: "From", input: { is: "place", of: ["from", ...places, "to"], value: "from" } },
        { name: "to", label: "To", input: { is: "place", of: ["from", ...places, "to"], value: places[0] ?? "to" } },
        { name: "length", label: "New length", input: { is: "quantity", dimension: "length" }, optional: true },
        { name: "by", label: "or change", input: { is: "quantity", dimension: "length", value: "10" }, optional: true },
      ],
      command: ({ from, to, length, by }) => ({
        do: "set-length", cable: name, between: [from, to], ...(length !== undefined ? { length } : { by }),
      }),
    }),
    typedForm({
      id: "pull", title: "Pull until taut", icon: "winch", act: "Pull",
      hint: "Takes in length until the largest tension is this.",
      fields: [{ name: "tension", label: "Tension", input: { is: "quantity", dimension: "force", value: "2" } }],
      command: ({ tension }) => ({ do: "set-length", cable: name, pull: { tension } }),
    }),
    typedForm({
      id: "winch", title: "Winch at its end", icon: "winch", act: "Feed",
      hint: "Pays out at the far end; below zero it reels in.",
      fields: [{ name: "feed", label: "Feed", input: { is: "quantity", dimension: "length", value: "-50" } }],
      command: ({ feed }) => ({ do: "set", kind: "cable", name, key: "feed", value: feed }),
    }),
    typedForm({
      id: "zone", title: "Stretch with its own section", icon: "part", act: "Set zone",
      hint: "A sleeve, a stiffer end: other stiffness over a stretch. Without stiffness it becomes like the rest.",
      fields: [
        { name: "from", label: "From", input: { is: "place", value: here } },
        { name: "to", label: "To", input: { is: "place", value: mm(Math.min(cable.length, (at ?? cable.length / 2) + cable.length / 10)) } },
        { name: "bend", label: "Bending", input: { is: "quantity", dimension: "stiffness", value: digits(cable.bend * 5) }, optional: true },
        { name: "twist", label: "Twisting", input: { is: "quantity", dimension: "stiffness" }, optional: true },
        { name: "taper", label: "Taper", input: { is: "quantity", dimension: "length" }, optional: true },
        { name: "name", label: "Name", input: { is: "text" }, optional: true },
      ],
      command: ({ from, to, bend, twist, taper, name: zone }) => {
        const override = { ...(bend !== undefined && { bend }), ...(twist !== undefined && { twist }) };
        const plain = Object.keys(override).length === 0;
        const keys = { ...(zone !== undefined && { name: zone }), ...(taper !== undefined && { taper }), override };
        return { do: "set-zone", cable: name, from, to, ...(plain ? {} : { with: keys }) };
      },
    }),
    typedForm({
      id: "cut", title: "Cut", icon: "cut", act: "Cut",
      hint: "Two cables with a free end each.",
      fields: [{ name: "at", label: "Place", input: { is: "place", value: here } }],
      command: ({ at: place }) => ({ do: "cut", cable: name, at: place }),
    }),
    typedForm({
      id: "branch", title: "Branch off", icon: "branch", act: "Branch",
      hint: "A new cable that leaves this one; without an end it hangs free.",
      fields: [
        { name: "at", label: "Place", input: { is: "place", value: here } },
        { name: "name", label: "Name", input: { is: "text", value: freshName(scene, `branch of ${name}`) } },
        { name: "to", label: "Ends in", input: { is: "name", of: (now) => ["free", ...anchorNames(now)], value: "free" } },
        { name: "length", label: "Length", input: { is: "quantity", dimension: "length", value: "150" } },
        { name: "part", label: "Part", input: { is: "library", value: cable.part ?? "wire-1.5" } },
      ],
      command: ({ at: place, name: own, to, length, part }) => ({
        do: "branch", cable: name, at: place, name: own, to, length, with: { part, from_tangent: [-1, 0, 1] },
      }),
    }),
  ];
  if (free) {
    forms.push(typedForm({
      id: "attach", title: "Attach its free end", icon: "port", act: "Attach",
      hint: "Fastens the free end.",
      fields: [
        { name: "to", label: "To", input: { is: "name", of: anchorNames } },
        { name: "grip_to", label: "Grip", input: { is: "choice", of: ["clamped", "pinned"], value: "clamped" } },
      ],
      command: ({ to, grip_to }) => ({ do: "attach", cable: name, to, with: { grip_to } }),
    }));
    const others = loose(scene, name);
    if (others[0] !== undefined) {
      forms.push(typedForm({
        id: "join", title: "Join with another", icon: "constraint", act: "Join",
        hint: "One cable of two, at their free ends.",
        fields: [{ name: "other", label: "With", input: { is: "choice", of: others, value: others[0] } }],
        command: ({ other }) => ({ do: "join", cables: [name, other] }),
      }));
    }
  } else if (!scene.single) {
    forms.push(typedForm({
      id: "separate", title: "Take off an end", icon: "close", act: "Take off",
      hint: "Its end becomes free.",
      fields: [{ name: "at", label: "Off", input: { is: "choice", of: [cable.to, cable.from], value: cable.to } }],
      command: ({ at: off }) => ({ do: "separate", at: off, cable: name }),
    }));
  }
  return forms;
}
