// The book in the page: docs/ and the references of scene files and commands, from Markdown to HTML when the page is built. So
// it is in the program, and there without a network.

import { readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Marked, type Tokens } from "marked";
import type { Plugin } from "vite";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** What belongs to the book beside docs/SUMMARY.md and the pages that it lists. */
const BESIDE = ["crates/flexline-scene/FORMAT.md", "crates/flexline-session/COMMANDS.md", "NOTATION.md"];

interface Entry {
  title: string;
  /** In the repository. */
  path: string;
}

/** The parts of the book: a heading and its pages. */
function contents(): { title: string; pages: Entry[] }[] {
  const parts: { title: string; pages: Entry[] }[] = [];
  for (const line of readFileSync(join(ROOT, "docs/SUMMARY.md"), "utf8").split("\n")) {
    const heading = /^# (.+)$/.exec(line)?.[1];
    const [, title, path] = /^- \[(.+)\]\((.+)\)$/.exec(line.trim()) ?? [];
    if (heading && heading !== "Summary") parts.push({ title: heading, pages: [] });
    else if (title && path) parts.at(-1)?.pages.push({ title, path: join("docs", path) });
  }
  parts.push({ title: "Reference", pages: BESIDE.map((path) => ({ path, title: firstHeading(readFileSync(join(ROOT, path), "utf8")) })) });
  return parts;
}

function firstHeading(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? "";
}

/** Where a page of the repository lies in the book. */
const target = (path: string): string => `book/${path.replace(/^docs\//, "").replace(/\.md$/, ".html").toLowerCase()}`;

/** As links to headings are written everywhere. */
const anchor = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replace(/\s/g, "-");

const escape = (text: string): string => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;");

/** The page, and the images that it shows. */
function render(path: string, inBook: ReadonlySet<string>): { html: string; images: string[] } {
  const images: string[] = [];
  const here = dirname(target(path));
  const marked = new Marked({ renderer: {
    heading(this: { parser: { parseInline(tokens: Tokens.Generic[]): string } }, { tokens, depth, text }: Tokens.Heading) {
      return `<h${depth} id="${escape(anchor(text))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    link(this: { parser: { parseInline(tokens: Tokens.Generic[]): string } }, { href, tokens }: Tokens.Link) {
      const text = this.parser.parseInline(tokens);
      if (href.startsWith("#")) return `<a href="${escape(href)}">${text}</a>`;
      if (/^[a-z]+:/.test(href)) return `<a href="${escape(href)}" rel="noreferrer">${text}</a>`;
      const [file = "", place] = href.split("#");
      const to = normalize(join(dirname(path), file));
      // What is not in the book is in the repository only.
      return inBook.has(to) ? `<a href="${escape(relative(here, target(to)) + (place ? `#${place}` : ""))}">${text}</a>` : `<span title="${escape(to)}">${text}</span>`;
    },
    image({ href, text }: Tokens.Image) {
      const file = normalize(join(dirname(path), href));
      images.push(file);
      return `<img src="${escape(relative(here, `book/${file.replace(/^docs\//, "")}`))}" alt="${escape(text)}" loading="lazy">`;
    },
  } });
  return { html: marked.parse(readFileSync(join(ROOT, path), "utf8"), { async: false }), images };
}

export function book(): Plugin {
  return {
    name: "flexline-book",
    apply: "build",
    generateBundle() {
      const parts = contents();
      const pages = parts.flatMap((part) => part.pages);
      const inBook = new Set(pages.map(({ path }) => path));
      const images = new Set<string>();
      for (const page of pages) {
        const made = render(page.path, inBook);
        for (const image of made.images) images.add(image);
        const here = target(page.path);
        const up = relative(dirname(here), "book");
        const nav = parts.map((part) => `<h2>${escape(part.title)}</h2><ul>${part.pages.map((each) =>
          `<li><a href="${escape(relative(dirname(here), target(each.path)))}"${each.path === page.path ? ' aria-current="page"' : ""}>${escape(each.title)}</a></li>`).join("")}</ul>`).join("\n");
        this.emitFile({ type: "asset", fileName: here, source: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(page.title)} – Flexline</title><link rel="icon" href="/favicon.svg"><link rel="stylesheet" href="${up || "."}/book.css"></head>
<body><nav aria-label="Contents"><a class="home" href="/">Flexline studio</a>${nav}</nav><main>${made.html}</main></body></html>
` });
      }
      for (const image of images) {
        this.emitFile({ type: "asset", fileName: `book/${image.replace(/^docs\//, "")}`, source: readFileSync(join(ROOT, image)) });
      }
      this.emitFile({ type: "asset", fileName: "book/book.css", source: readFileSync(join(ROOT, "web/src/style/book.css")) });
    },
  };
}
