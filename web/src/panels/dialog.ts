// Dialogs: the browser's own element, with a title and a way out.

import { button, h, type Child } from "./dom";

/** Opens a dialog; it is taken away when it is closed. */
export function dialog(title: string, kind: string, ...content: Child[]): HTMLDialogElement {
  const box = h("dialog", { class: `dialog ${kind}`, "aria-label": title },
    h("header", { class: "dialog-head" }, h("h2", {}, title), button("close", "Close (Esc)", () => box.close())),
    h("div", { class: "dialog-body" }, ...content));
  box.addEventListener("close", () => box.remove());
  // A click beside the dialog closes it.
  box.addEventListener("pointerdown", (event) => {
    if (event.target === box) box.close();
  });
  box.addEventListener("keydown", (event) => event.stopPropagation());
  (document.getElementById("dialogs") ?? document.body).append(box);
  box.showModal();
  return box;
}

/** Asks a question; resolves to the value of the button, or `null`. */
export function ask(title: string, text: Child, answers: { text: string; value: string; kind?: string }[]): Promise<string | null> {
  return new Promise((resolve) => {
    let chosen: string | null = null;
    const box = dialog(title, "question", h("div", { class: "question-text" }, text), h("div", { class: "form-foot" },
      ...answers.map(({ text: word, value, kind }) => button(null, word, () => {
        chosen = value;
        box.close();
      }, { text: word, kind: kind ?? "" }))));
    box.addEventListener("close", () => resolve(chosen));
  });
}

/** A menu below a button; closes with the next click. */
export function menu(owner: HTMLElement, items: { text: string; hint?: string; act: () => void; on?: boolean; key?: string }[]): void {
  document.querySelector(".menu")?.remove();
  const list = h("div", { class: "menu", role: "menu" }, ...items.map((item) =>
    h("button", { type: "button", role: "menuitem", class: item.on ? "on" : "", title: item.hint ?? "", on: { click: () => {
      close();
      item.act();
    } } }, h("span", {}, item.text), item.key ? h("kbd", {}, item.key) : null)));
  const outside = (event: Event): void => {
    if (!list.contains(event.target as Node)) close();
  };
  /** Escape closes the menu and nothing else; arrows go through it. */
  const key = (event: KeyboardEvent): void => {
    const items = [...list.querySelectorAll("button")];
    const at = items.indexOf(document.activeElement as HTMLButtonElement);
    if (event.key === "ArrowDown") items[(at + 1) % items.length]?.focus();
    else if (event.key === "ArrowUp") items[(at - 1 + items.length) % items.length]?.focus();
    else if (event.key === "Escape") {
      close();
      owner.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const close = (): void => {
    list.remove();
    document.removeEventListener("pointerdown", outside, true);
    window.removeEventListener("keydown", key, true);
  };
  document.body.append(list);
  const place = owner.getBoundingClientRect();
  list.style.top = `${Math.min(place.bottom + 4, window.innerHeight - list.offsetHeight - 8)}px`;
  list.style.left = `${Math.max(8, Math.min(place.left, window.innerWidth - list.offsetWidth - 8))}px`;
  document.addEventListener("pointerdown", outside, true);
  window.addEventListener("keydown", key, true);
  list.querySelector("button")?.focus();
}
