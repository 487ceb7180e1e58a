// Elements in one call, and the few patterns that every panel uses.

import { icon, type IconName } from "./icons";

export type Child = Node | string | number | null | undefined | false;

type Handlers = { [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void };

export interface Props {
  class?: string;
  on?: Handlers;
  data?: Record<string, string>;
  [attribute: string]: string | number | boolean | null | undefined | Handlers | Record<string, string>;
}

/** An element with attributes, listeners (`on`), `data-` attributes and children. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      for (const [event, handler] of Object.entries(value as Handlers)) {
        element.addEventListener(event, handler as EventListener);
      }
    } else if (name === "data") Object.assign(element.dataset, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter(isChild).map((child) => (typeof child === "number" ? String(child) : child)));
  return element;
}

function isChild(child: Child): child is Node | string | number {
  return child !== null && child !== undefined && child !== false;
}

/** A button with an icon, a tooltip and perhaps a word. */
export function button(
  name: IconName | null,
  title: string,
  act: (event: MouseEvent) => void,
  { text, kind = "", id }: { text?: string; kind?: string; id?: string } = {},
): HTMLButtonElement {
  return h(
    "button",
    { class: `button ${kind}`.trim(), type: "button", title, "aria-label": title, id, on: { click: act } },
    name && icon(name),
    text !== undefined && h("span", { class: "button-text" }, text),
  );
}

/** Shows or hides without moving what is around it out of order. */
export function visible(element: HTMLElement, on: boolean): void {
  element.hidden = !on;
}

/** Sets the text where it is another one: the page is not laid out for nothing. */
export function say(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Builds the content of a panel anew and keeps what the person sees of it: what is folded open, and the field with the
 * focus. How far it is scrolled the browser keeps, since nothing is laid out between; asking for it would do just that.
 * Foldable parts carry `data-fold`, fields `data-focus`.
 */
export function rebuild(panel: HTMLElement, content: Child[]): void {
  const folds = new Map<string, boolean>();
  for (const fold of panel.querySelectorAll<HTMLDetailsElement>("details[data-fold]")) {
    folds.set(fold.dataset.fold ?? "", fold.open);
  }
  const focused = panel.contains(document.activeElement) ? (document.activeElement as HTMLElement).dataset.focus : undefined;
  panel.replaceChildren(...content.filter(isChild).map(asNode));
  unfold(panel, folds);
  if (focused !== undefined) {
    panel.querySelector<HTMLElement>(`[data-focus="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }
}

function asNode(child: Node | string | number): Node {
  return child instanceof Node ? child : document.createTextNode(String(child));
}

/** Opens what was open; what is within may fold as well. */
function unfold(within: HTMLElement, folds: ReadonlyMap<string, boolean>): void {
  for (const fold of within.querySelectorAll<HTMLDetailsElement>("details[data-fold]")) {
    const open = folds.get(fold.dataset.fold ?? "") ?? fold.open;
    if (open !== fold.open) fold.open = open;
    if (open && fill(fold)) unfold(fold, folds);
  }
}

/** What folds are to contain once they are opened. */
const unfilled = new WeakMap<HTMLDetailsElement, () => Child[]>();

function fill(fold: HTMLDetailsElement): boolean {
  const make = unfilled.get(fold);
  if (!make) return false;
  unfilled.delete(fold);
  fold.append(...make().filter(isChild).map(asNode));
  return true;
}

/** A part of a panel that folds, and is made when it is opened: most of them never are. */
export function lazyFold(key: string, title: Child, open: boolean, make: () => Child[]): HTMLDetailsElement {
  const made = fold(key, title, open);
  unfilled.set(made, make);
  made.addEventListener("toggle", () => made.open && fill(made));
  if (open) fill(made);
  return made;
}

/** A part of a panel that folds. */
export function fold(key: string, title: Child, open: boolean, ...children: Child[]): HTMLDetailsElement {
  return h("details", { class: "fold", data: { fold: key }, open }, h("summary", {}, title), ...children);
}

/** Is the person typing? Keys then belong to the field. */
export function typing(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !["range", "checkbox", "button", "radio"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable;
}

/** Has the person typed something here that has not been taken yet? */
export function dirty(target: EventTarget | null): boolean {
  return typing(target) && (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) && target.value !== target.defaultValue;
}
