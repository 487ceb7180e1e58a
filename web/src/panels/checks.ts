// The list of checks: what is allowed, how much of it is used, and where.

import type { App } from "../app";
import type { Finding } from "../protocol";
import { button, h, say } from "./dom";
import { icon } from "./icons";
import { lengthenCommand, reserve } from "./properties/cable";
import { cableNamed } from "./scene-index";
import { digits, withUnit } from "./units";

const RANK = { fail: 2, warn: 1, pass: 0, no_limit: -1 };
/** For those who do not see the colour. */
const VERDICTS = { fail: "fails", warn: "close to the limit", pass: "passes", no_limit: "no limit known" };

/** Findings by cable, the worst verdict first; else in their order, so that rows do not dance while a cable is pulled. */
export function grouped(findings: readonly Finding[]): { cable: string | null; findings: Finding[] }[] {
  const groups = new Map<string | null, Finding[]>();
  for (const finding of findings) {
    const own = groups.get(finding.cable);
    if (own) own.push(finding);
    else groups.set(finding.cable, [finding]);
  }
  const rank = (finding: Finding | undefined): number => (finding ? RANK[finding.verdict] : -2);
  return [...groups]
    .map(([cable, all]) => ({ cable, findings: all.sort((a, b) => rank(b) - rank(a)) }))
    .sort((a, b) => rank(b.findings[0]) - rank(a.findings[0]));
}

/** What bends with a larger radius than this is straight, m. */
const STRAIGHT = 1e4;
/** What is smaller than this is rounding, in any unit but metres. */
const ROUNDING = 1e-9;

/** A value of a finding in a unit that reads well. */
export function amount(value: number | null, unit: string): string {
  if (value === null) return "–";
  if (unit === "m") return value > STRAIGHT ? "straight" : withUnit(value, "length", 3);
  if (Math.abs(value) < ROUNDING) value = 0;
  if (unit === "rad/m") return withUnit(value, "twist", 3);
  if (unit === "rad") return withUnit(value, "angle", 3);
  return `${digits(value, 3)} ${unit}`.trim();
}

/** Beyond ten times the limit the number says nothing more. */
export function percent(share: number): string {
  return share > 9.99 ? "> 999 %" : `${Math.round(share * 100)} %`;
}

export function mountChecks(app: App, place: HTMLElement): void {
  const summary = h("span", { class: "checks-sum" });
  const list = h("div", { class: "checks-list" });
  const infeasible = h("div", { class: "callout bad", hidden: true });
  let short = "";
  /** The rows there were, by what they are about: numbers change in place, and a row that comes back is not made anew. */
  const rows = new Map<string, Item>();
  /** What belongs to one cable, which moves as one: its name and its rows. */
  const sections = new Map<string | null, HTMLElement>();
  let shown = "-";
  const rowOf = (finding: Finding): Item => {
    const key = `${finding.cable ?? ""} ${finding.rule} ${finding.verdict}`;
    const made = rows.get(key) ?? item(app, finding);
    rows.set(key, made);
    return made;
  };
  const sectionOf = (cable: string | null): HTMLElement => {
    const made = sections.get(cable) ?? h("section", { class: "checks-of" }, h("h3", { class: "tree-group" }, cable ?? "The whole"));
    sections.set(cable, made);
    return made;
  };
  const lackOf = (cable: string, missing: number): string => withUnit(reserve(cableNamed(app.scene, cable) ?? { length: 0 }, missing), "length", 3);
  const explain = (): void => {
    const trailer = app.frame?.trailer;
    const wrong = trailer !== undefined && (trailer.short.length > 0 || trailer.status !== "converged");
    infeasible.hidden = !wrong;
    if (!wrong) {
      short = "";
      return;
    }
    const now = trailer.line + trailer.short.map((each) => `${each.cable} ${lackOf(each.cable, each.missing)}`).join();
    if (now === short) return;
    short = now;
    infeasible.replaceChildren(icon("warning"), h("div", {}, h("p", {}, trailer.short.length > 0 ? "Too short: there is no equilibrium. The view shows the nearest state." : trailer.line),
      ...trailer.short.map(({ cable, missing, between }) => {
        const it = cableNamed(app.scene, cable);
        return h("p", {}, button(null, `Select ${cable}`, () => app.select({ cable }), { text: cable, kind: "link" }), ` lacks ${withUnit(missing, "length", 3)} `,
          it ? button("lengthen", "As long as it must be, and 2 % more", () => void app.command(lengthenCommand(it, missing, between)),
            { text: `Lengthen by ${lackOf(cable, missing)}`, kind: "primary" }) : null);
      })));
  };
  const build = (): void => {
    const all = app.findings;
    const bad = all.filter((each) => each.verdict === "fail").length;
    const warn = all.filter((each) => each.verdict === "warn").length;
    say(summary, all.length === 0 ? "nothing to check" : bad > 0 ? `${bad} failed` : warn > 0 ? `${warn} close to the limit` : `all ${all.filter((each) => each.verdict === "pass").length} pass`);
    summary.className = `checks-sum ${bad > 0 ? "fail" : warn > 0 ? "warn" : "pass"}`;
    const groups = grouped(all);
    const order = groups.map(({ cable, findings }) => `${cable}: ${findings.map((each) => `${each.rule} ${each.verdict}`).join()}`).join(";");
    if (order !== shown) {
      shown = order;
      arrange(list, groups.map(({ cable, findings }) => {
        const section = sectionOf(cable);
        const head = section.firstElementChild as HTMLElement;
        head.hidden = app.scene?.cables.length === 1;
        arrange(section, [head, ...findings.map((finding) => rowOf(finding).element)]);
        return section;
      }));
    }
    for (const finding of all) rowOf(finding).show(finding);
  };
  app.on("scene", (scene) => {
    // Rows of cables that are gone are not kept for ever.
    if (sections.size > 2 * scene.cables.length + 16) {
      rows.clear();
      sections.clear();
      shown = "-";
    }
  });
  app.on("findings", build);
  app.on("calm", explain);
  place.append(h("header", { class: "section-head" }, "Checks", summary), infeasible, list);
  build();
}

/** Puts elements into a list in this order; where one of them went up or down, that one is moved and no other. */
function arrange(list: HTMLElement, wanted: readonly HTMLElement[]): void {
  let there = list.firstElementChild;
  for (const element of wanted) {
    if (there !== element && there?.nextElementSibling === element) {
      // The one before it went down: it is put in again further on.
      there.remove();
      there = element;
    }
    if (there === element) there = element.nextElementSibling;
    else list.insertBefore(element, there);
  }
  while (there) {
    const next: Element | null = there.nextElementSibling;
    there.remove();
    there = next;
  }
}

interface Item {
  element: HTMLElement;
  show(finding: Finding): void;
}

/** A row for a rule and its verdict; `show` fills in the numbers. */
function item(app: App, first: Finding): Item {
  let finding = first;
  // What concerns the whole has no place, and its numbers say little to a person.
  const whole = first.cable === null;
  const judged = first.verdict !== "no_limit";
  const wordy = whole || first.verdict === "warn" || first.verdict === "fail";
  const value = h("span", { class: "check-value" });
  const meter = h("meter", { min: 0, max: 1.25, low: 0.8, high: 1, optimum: 0, "aria-hidden": "true" });
  const share = h("span", { class: "check-share" });
  const message = h("span", { class: "check-message" });
  const look = (): void => {
    if (finding.cable === null) return;
    app.select({ cable: finding.cable, at: finding.s });
    app.emit("look", { position: finding.position });
  };
  const rule = first.rule.replaceAll(/[_-]/g, " ");
  const element = h("button", {
    type: "button", class: `check ${first.verdict}`, title: whole ? "" : "Click to see the place",
    on: { click: look }, data: { focus: `${first.cable ?? ""} ${first.rule}`, rule: first.rule, verdict: first.verdict },
  },
    h("span", { class: "check-dot" }, judged ? icon(first.verdict === "pass" ? "tick" : "warning") : "–"),
    h("span", { class: "check-rule" }, rule, first.detail ? h("small", {}, ` ${first.detail}`) : null),
    value, whole || !judged ? null : h("span", { class: "check-bar" }, meter, share), wordy ? message : null);
  let told: Finding | null = null;
  return {
    element,
    show: (now) => {
      finding = now;
      // Of many cables most stay as they are.
      if (told && told.value === now.value && told.limit === now.limit && told.utilisation === now.utilisation && told.message === now.message) return;
      told = now;
      if (wordy) say(message, now.message);
      if (whole) return;
      element.title = `${now.message}. Click to see the place`;
      if (!judged) {
        say(value, `${amount(now.value, now.unit)}, no limit known`);
        element.setAttribute("aria-label", `${rule}: ${value.textContent}`);
        return;
      }
      say(value, `${amount(now.value, now.unit)} / ${amount(now.limit, now.unit)}`);
      say(share, percent(now.utilisation ?? 0));
      meter.value = Math.min(1.25, Math.max(0, now.utilisation ?? 0));
      element.setAttribute("aria-label", `${VERDICTS[now.verdict]}: ${rule}, ${amount(now.value, now.unit)} of ${amount(now.limit, now.unit)}, ${percent(now.utilisation ?? 0)} used`);
    },
  };
}
