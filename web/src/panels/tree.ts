// The scene as a tree: what there is, what is wrong with it, what is shown.

import type { App, SelectedKind, Selection } from "../app";
import type { Finding, SceneView, Thing, Trailer } from "../protocol";
import { button, h, rebuild } from "./dom";
import { icon, kindIcon } from "./icons";
import { addMenu } from "./properties/add";
import { missing, onCable, verdictOf } from "./scene-index";
import { withUnit } from "./units";

export interface TreeNode {
  kind: SelectedKind;
  name: string;
  detail: string;
  /** In the view, and so with an eye. */
  drawn: boolean;
  children: TreeNode[];
}

/** Which of how many a node is beside its likes. */
interface Among {
  at: number;
  of: number;
}

export interface TreeGroup {
  title: string;
  nodes: TreeNode[];
}

const GROUPS: { title: string; kinds: string[] }[] = [
  { title: "Ends", kinds: ["start", "end"] },
  { title: "Ports", kinds: ["port"] },
  { title: "Rigid parts", kinds: ["part"] },
  { title: "Junctions", kinds: ["junction"] },
];

/** The groups of the tree. What is on a cable stands below it, connectors below their part. */
export function treeOf(scene: SceneView): TreeGroup[] {
  const plain = (kind: SelectedKind, name: string, detail = "", drawn = true, children: TreeNode[] = []): TreeNode => ({ kind, name, detail, drawn, children });
  const tables = (kind: string) => scene.tables.filter((table) => table.kind === kind);
  const loads = tables("load");
  // A hand that pulls a cable is shown by the server as a clip, but it is not in the file.
  const inFile = (thing: Thing): boolean => thing.kind !== "clip" || tables("clip").some((table) => table.name === thing.name);
  const groups: TreeGroup[] = [{
    title: "Cables",
    nodes: scene.cables.map((cable) => plain("cable", cable.name, withUnit(cable.length, "length"), true, [
      ...onCable(scene, cable.name).filter(inFile).map((thing) => plain(thing.kind, thing.name, thing.at === null ? "" : withUnit(thing.at, "length"))),
      ...loads.filter((table) => table.keys["cable"] === cable.name || scene.single).map((table) => plain("load", table.name, "", false)),
    ])),
  }];
  for (const { title, kinds } of GROUPS) {
    groups.push({ title, nodes: scene.things.filter((thing) => kinds.includes(thing.kind)).map((thing) =>
      plain(thing.kind, thing.name, thing.kind === "part" && thing.mass > 0 ? withUnit(thing.mass, "mass", 3) : "", true,
        thing.kind === "part"
          ? scene.things.filter((each) => each.kind === "connector" && each.name.startsWith(`${thing.name}.`)).map((each) => plain("connector", each.name))
          : [])) });
  }
  groups.push(
    { title: "Constraints", nodes: tables("constraint").map((table) => plain("constraint", table.name, String(table.keys["kind"] ?? ""), false)) },
    { title: "Poles", nodes: scene.poles.map((pole) => plain("pole", pole.name, `R ${withUnit(pole.radius, "length")}`)) },
    { title: "Bundles", nodes: tables("bundle").map((table) => plain("bundle", table.name, "", false)) },
    { title: "Motions", nodes: tables("motion").map((table) => plain("motion", table.name, String(table.keys["target"] ?? ""), false)) },
    { title: "Obstacles", nodes: scene.obstacles.map(({ name, form, triangles }) => plain("obstacle", name, triangles === null ? form : `${triangles} △`)) },
  );
  return groups.filter((group) => group.nodes.length > 0);
}

/** What is left of the tree for a search; a node stays when it or something below it matches. */
export function searched(groups: readonly TreeGroup[], search: string): TreeGroup[] {
  const word = search.trim().toLowerCase();
  if (word === "") return [...groups];
  const hit = (node: TreeNode): boolean => `${node.name} ${node.kind}`.toLowerCase().includes(word);
  const keep = (nodes: readonly TreeNode[]): TreeNode[] => nodes.flatMap((node) => {
    const children = keep(node.children);
    if (hit(node)) return [node];
    return children.length > 0 ? [{ ...node, children }] : [];
  });
  return groups.map((group) => ({ ...group, nodes: keep(group.nodes) })).filter((group) => group.nodes.length > 0);
}

/** What is wrong with a node, in a sentence. */
export function complaint(node: TreeNode, findings: readonly Finding[], trailer: Trailer | undefined): { text: string; verdict: "warn" | "fail" } | null {
  if (node.kind !== "cable") return null;
  const lack = missing(trailer, node.name);
  if (lack > 0) return { text: `Too short by ${withUnit(lack, "length", 3)}`, verdict: "fail" };
  const verdict = verdictOf(findings, node.name);
  if (verdict === "pass") return null;
  return { verdict, text: findings.filter((each) => each.cable === node.name && each.verdict === verdict).map((each) => each.message).join("\n") };
}

function selects(selection: Selection, node: TreeNode): boolean {
  if (!selection) return false;
  return "cable" in selection ? node.kind === "cable" && node.name === selection.cable : node.kind === selection.kind && node.name === selection.thing;
}

export function mountTree(app: App, place: HTMLElement): void {
  const search = h("input", { type: "search", placeholder: "Search the scene", "aria-label": "Search the scene", id: "tree-search" });
  const add = button("plus", "Add a cable, a port, a part …", () => addMenu(app, add), { id: "add" });
  const list = h("div", { class: "tree-list", role: "tree", "aria-label": "What there is" });
  /** The rows of cables, with what is wrong with them as it is shown. */
  let cables: { node: TreeNode; among: Among; element: HTMLElement; told: string }[] = [];
  const told = (node: TreeNode, findings = app.findings): string => complaint(node, findings, app.frame?.trailer)?.text ?? "";
  const row = (node: TreeNode, depth: number, { at, of }: Among): HTMLElement => {
    const wrong = complaint(node, app.findings, app.frame?.trailer);
    const hidden = app.hidden.has(node.name);
    const label = node.kind === "connector" ? (node.name.split(".")[1] ?? node.name) : node.name;
    return h("div", {
      class: `tree-row depth-${Math.min(depth, 2)}${hidden ? " is-hidden" : ""}`, role: "treeitem", tabindex: 0,
      "aria-level": depth + 1, "aria-posinset": at + 1, "aria-setsize": of, "aria-label": [node.kind, label, node.detail].filter((each) => each !== "").join(", "),
      ...(node.children.length > 0 && { "aria-expanded": "true" }),
      "aria-selected": selects(app.selection, node) ? "true" : "false", data: { focus: `${node.kind} ${node.name}`, kind: node.kind, name: node.name },
      on: {
        click: () => app.select(node.kind === "cable" ? { cable: node.name } : { thing: node.name, kind: node.kind }),
        dblclick: () => app.emit("camera", "selection"),
        keydown: (event) => walk(event, list),
      },
    },
      icon(kindIcon(node.kind)), h("span", { class: "tree-name" }, label), h("span", { class: "tree-detail" }, node.detail),
      wrong && h("span", { class: `badge ${wrong.verdict}`, title: wrong.text, role: "img", "aria-label": wrong.text }, icon("warning")),
      node.drawn ? button(hidden ? "hidden" : "eye", hidden ? "Show" : "Hide", (event) => {
        event.stopPropagation();
        app.setHidden(node.name, !hidden);
      }, { kind: "eye" }) : null);
  };
  const branchesOf = (nodes: readonly TreeNode[], depth: number): HTMLElement[] => nodes.flatMap((node, at) => {
    const among = { at, of: nodes.length };
    const element = row(node, depth, among);
    if (node.kind === "cable") cables.push({ node, among, element, told: told(node) });
    return [element, ...branchesOf(node.children, depth + 1)];
  });
  const build = (): void => {
    const scene = app.scene;
    if (!scene) return;
    cables = [];
    rebuild(list, searched(treeOf(scene), search.value).map((group) => h("div", { role: "group", "aria-label": group.title },
      h("h3", { class: "tree-group", "aria-hidden": "true" }, group.title, h("span", { class: "quiet" }, group.nodes.length)),
      ...branchesOf(group.nodes, 0))));
  };
  /** Frames and findings come often: a row is made anew only where its badge changes. */
  const refresh = (): void => {
    // Of what passes, which is most, nothing is told.
    const bad = app.findings.filter((finding) => finding.verdict !== "pass");
    for (const each of cables) {
      const now = told(each.node, bad);
      if (now === each.told) continue;
      each.told = now;
      const fresh = row(each.node, 0, each.among);
      const focused = document.activeElement === each.element;
      each.element.replaceWith(fresh);
      each.element = fresh;
      if (focused) fresh.focus({ preventScroll: true });
    }
  };
  search.addEventListener("input", build);
  app.on("scene", build);
  app.on("selection", () => {
    build();
    list.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  });
  app.on("hidden", build);
  app.on("findings", refresh);
  app.on("calm", refresh);
  place.append(h("div", { class: "panel-tools" }, search, add), list);
}

/** Arrows go through the tree, Enter selects. */
function walk(event: KeyboardEvent, list: HTMLElement): void {
  const rows = [...list.querySelectorAll<HTMLElement>(".tree-row")];
  const at = rows.indexOf(event.currentTarget as HTMLElement);
  if (event.key === "ArrowDown") rows[at + 1]?.focus();
  else if (event.key === "ArrowUp") rows[at - 1]?.focus();
  else if (event.key === "Enter" && event.target === event.currentTarget) rows[at]?.click();
  else return;
  event.preventDefault();
  event.stopPropagation();
}
