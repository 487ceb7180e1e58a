// The icons of the page: strokes on a grid of 24, drawn in the colour of the text.

const PATHS = {
  "panel-left": "M4 5h16v14H4zM10 5v14M6 9h2M6 12h2",
  "panel-right": "M4 5h16v14H4zM14 5v14M16 9h2M16 12h2",
  "panel-below": "M4 5h16v14H4zM4 14h16M7 16.5h4",
  book: "M12 6c-2-2-5-2-8-2v14c3 0 6 0 8 2 2-2 5-2 8-2V4c-3 0-6 0-8 2zM12 6v14",
  gallery: "M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z",
  file: "M6 3h8l5 5v13H6zM14 3v5h5M12.5 12v6M9.5 15h6",
  save: "M5 4h11l3 3v13H5zM8 4v5h7V4M8 20v-6h8v6",
  save_as: "M5 4h11l3 3v5M5 4v16h6M8 4v5h7V4M17.5 14v7M14 17.5h7",
  undo: "M9 6 4 11l5 5M4 11h10a6 6 0 0 1 0 12h-2",
  redo: "M15 6l5 5-5 5M20 11H10a6 6 0 0 0 0 12h2",
  select: "M6 3l12 9-6 1-2 6z",
  cable: "M4 18c0-6 4-4 7-8s2-6 9-6M3 18h2M19 4h2",
  clip: "M4 12c4-5 12-5 16 0M9 14h6v6H9zM12 14v-4",
  cut: "M6 5l12 10M6 19L18 9M5 7a2 2 0 1 0 .1 0M5 17a2 2 0 1 0 .1 0",
  branch: "M4 12h6c4 0 4-6 10-6M10 12c4 0 4 6 10 6",
  lengthen: "M3 12h18M7 8l-4 4 4 4M17 8l4 4-4 4M12 9v6",
  measure: "M4 16L16 4l4 4L8 20zM8 12l2 2M11 9l2 2M14 6l2 2",
  play: "M7 4l13 8-13 8z",
  pause: "M7 4v16M17 4v16",
  step: "M5 4l10 8-10 8zM19 4v16",
  record: "M12 6a6 6 0 1 0 .1 0",
  rewind: "M20 4L9 12l11 8zM5 4v16",
  view: "M12 3l8 4.5v9L12 21l-8-4.5v-9zM12 12l8-4.5M12 12v9M12 12L4 7.5",
  sun: "M12 8a4 4 0 1 0 .1 0M12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M5 19l2-2M17 7l2-2",
  moon: "M19 14A8 8 0 1 1 10 5a7 7 0 0 0 9 9z",
  help: "M9 9a3 3 0 1 1 4 3c-1 .5-1 1-1 2M12 17v1M12 3a9 9 0 1 0 .1 0",
  export: "M12 3v12M8 7l4-4 4 4M5 14v6h14v-6",
  import: "M12 3v12M8 11l4 4 4-4M5 14v6h14v-6",
  people: "M8 5a3 3 0 1 0 .1 0M3 20c0-5 3-7 5-7s5 2 5 7M16 7a2.5 2.5 0 1 0 .1 0M15 14c3 0 6 1 6 6",
  eye: "M2 12c4-7 16-7 20 0-4 7-16 7-20 0M12 9a3 3 0 1 0 .1 0",
  hidden: "M3 3l18 18M4 12c3-4 6-5 9-5M20 12c-3 4-6 5-9 5",
  search: "M10 4a6 6 0 1 0 .1 0M15 15l6 6",
  plus: "M12 5v14M5 12h14",
  close: "M6 6l12 12M18 6L6 18",
  trash: "M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13",
  warning: "M12 3l10 18H2zM12 10v5M12 17.5v.5",
  tick: "M4 13l5 5L20 6",
  look: "M12 8a4 4 0 1 0 .1 0M12 2v4M12 18v4M2 12h4M18 12h4",
  tour: "M12 3a9 9 0 1 0 .1 0M15 9l-2 4-4 2 2-4z",
  port: "M12 4a8 8 0 1 0 .1 0M9 11v2M15 11v2",
  part: "M4 7h16v11H4zM8 7V4M16 7V4",
  connector: "M4 9h9v6H4zM13 10h4M13 14h4M20 12h1",
  junction: "M4 12h8l8-7M12 12l8 7M12 10a2 2 0 1 0 .1 0",
  pulley: "M12 5a7 7 0 1 0 .1 0M12 11a1 1 0 1 0 .1 0M12 3v2",
  ring: "M12 7a5 5 0 1 0 .1 0M2 12h5M17 12h5",
  bead: "M12 6a6 6 0 1 0 .1 0M2 12h4M18 12h4",
  winch: "M4 6h10v12H4zM4 10h10M4 14h10M14 12h7",
  load: "M12 3v15M7 13l5 5 5-5M5 21h14",
  constraint: "M8 12a4 4 0 1 1 4-4M16 12a4 4 0 1 1-4 4M10 14l4-4",
  motion: "M3 12h14M12 7l5 5-5 5M21 5v14",
  world: "M12 3a9 9 0 1 0 .1 0M3 12h18M12 3c-5 5-5 13 0 18M12 3c5 5 5 13 0 18",
  pole: "M8 5v14M16 5v14M8 5a4 1.6 0 0 1 8 0M8 5a4 1.6 0 0 0 8 0M8 19a4 1.6 0 0 0 8 0",
  bundle: "M12 5a3 3 0 1 0 .1 0M8 11a3 3 0 1 0 .1 0M16 11a3 3 0 1 0 .1 0",
  mesh: "M12 3l9 16H3zM12 3v16M7.5 11h9",
  turn: "M20 12a8 8 0 1 1-3-6M17 2v4h-4",
  more: "M5 12h.5M12 12h.5M19 12h.5",
  history: "M12 7v5l4 2M4 12a8 8 0 1 1 2 6M4 12l-2-3M4 12l3-2",
  solve: "M5 5h14M5 5l7 7-7 7h14",
} as const;

export type IconName = keyof typeof PATHS;

const SVG = "http://www.w3.org/2000/svg";

export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

const KINDS: Record<string, IconName> = {
  cable: "cable", port: "port", part: "part", connector: "connector", junction: "junction", clip: "clip", eye: "ring",
  pulley: "pulley", bead: "bead", start: "port", end: "port", load: "load", constraint: "constraint", motion: "motion",
  world: "world", solve: "solve", obstacle: "mesh", scene: "file", plane: "constraint", pole: "pole", bundle: "bundle",
};

/** The icon of a kind of thing. */
export function kindIcon(kind: string): IconName {
  return KINDS[kind] ?? "constraint";
}
