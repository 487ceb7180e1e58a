// The list of checks: what is allowed, how much of it is used, and where.

import type { App } from "../app";
import type { Finding } from "../protocol";
import { button, h, rebuild, say } from "./dom";
import { icon } from "./icons";
import { lengthenCommand, reserve } from "./properties/cable";
import { cableNamed } from "./scene-index";
import { digits, withUnit } from "./units";

const RANK = { fail: 2, warn: 1, pass: 0 };

/** Findings by cable, the worst first, and the worst cable first. */
export function grouped(findings: readonly Finding[]): { cable: string | null; findings: Finding[] }[] {
  const groups = new Map<string | null, Finding[]>();
  for (const finding of findings) groups.set(finding.cable, [...(groups.get(finding.cable) ?? []), finding]);
  const load = (finding: Finding | undefined): number => (finding ? RANK[finding.verdict] * 1e6 + (finding.utilisation ?? 0) : -1);
  return [...groups]
    .map(([cable, all]) => ({ cable, findings: all.sort((a, b) => load(b) - load(a)) }))
    .sort((a, b) => load(b.findings[0]) - load(a.findings[0]));
}

/** A value of a finding in a unit that reads well. */
export function amount(value: number | null, unit: string): string {
  if (value === null) return "–";
  if (unit === "m") return withUnit(value, "length", 3);
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
      ...trailer.short.map(({ cable, missing }) => {
        const it = cableNamed(app.scene, cable);
        return h("p", {}, button(null, `Select ${cable}`, () => app.select({ cable }), { text: cable, kind: "link" }), ` lacks ${withUnit(missing, "length", 3)} `,
          it ? button("lengthen", "As long as it must be, and 2 % more", () => void app.command(lengthenCommand(it, missing)),
            { text: `Lengthen by ${lackOf(cable, missing)}`, kind: "primary" }) : null);
      })));
  };
  const build = (): void => {
    const all = app.findings;
    const bad = all.filter((each) => each.verdict === "fail").length;
    const warn = all.filter((each) => each.verdict === "warn").length;
    say(summary, all.length === 0 ? "nothing to check" : bad > 0 ? `${bad} failed` : warn > 0 ? `${warn} close to the limit` : `all ${all.length} pass`);
    summary.className = `checks-sum ${bad > 0 ? "fail" : warn > 0 ? "warn" : "pass"}`;
    rebuild(list, grouped(all).flatMap(({ cable, findings }) => [
      app.scene?.cables.length === 1 ? null : h("h3", { class: "tree-group" }, cable ?? "The whole"),
      ...findings.map((finding) => item(app, finding)),
    ]));
  };
  app.on("findings", build);
  app.on("frame", explain);
  place.append(h("header", { class: "section-head" }, "Checks", summary), infeasible, list);
  build();
}

function item(app: App, finding: Finding): HTMLElement {
  const share = finding.utilisation === null ? null : Math.min(1.25, Math.max(0, finding.utilisation));
  const show = (): void => {
    if (finding.cable === null) return;
    app.select({ cable: finding.cable, at: finding.s });
    app.emit("look", { position: finding.position });
  };
  // What concerns the whole has no place, and its numbers say little to a person.
  const whole = finding.cable === null;
  return h("button", {
    type: "button", class: `check ${finding.verdict}`, title: whole ? finding.message : `${finding.message}\nClick to see the place.`,
    on: { click: show }, data: { focus: `${finding.cable ?? ""} ${finding.rule}`, rule: finding.rule, verdict: finding.verdict },
  },
    h("span", { class: "check-dot" }, icon(finding.verdict === "pass" ? "tick" : "warning")),
    h("span", { class: "check-rule" }, finding.rule.replaceAll(/[_-]/g, " ")),
    h("span", { class: "check-value" }, whole ? "" : `${amount(finding.value, finding.unit)} / ${amount(finding.limit, finding.unit)}`),
    whole || share === null ? null : h("span", { class: "check-bar" },
      h("meter", { min: 0, max: 1.25, low: 0.8, high: 1, optimum: 0, value: share, class: finding.verdict }),
      h("span", { class: "check-share" }, percent(finding.utilisation ?? 0))),
    finding.verdict === "pass" && !whole ? null : h("span", { class: "check-message" }, finding.message));
}
