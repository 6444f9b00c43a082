import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { list, root, sources, textOf } from "./sources.ts";

test("every path that the docs cite exists", async () => {
  const missing: string[] = [];
  for (const page of ["README.md", ...list("docs/**/*.md")]) {
    for (const [, cited] of (await textOf(page)).matchAll(
      /`((?:api|workers|shared|test|docs|\.ci)\/[\w./-]+)`/g,
    )) {
      if (cited && !existsSync(join(root, cited))) missing.push(`${page}: ${cited}`);
    }
    for (const [, link] of (await textOf(page)).matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)) {
      if (link && !existsSync(join(root, dirname(page), link))) missing.push(`${page}: ${link}`);
    }
  }
  expect(missing).toEqual([]);
});

test("the map names every folder", async () => {
  const text = await textOf("docs/architecture.md");
  const folders = new Set(
    sources.map((path) => `${dirname(path)}/`).filter((folder) => folder.includes("/", 0)),
  );
  const unnamed = [...folders].filter((folder) => {
    const named = folder
      .split("/")
      .slice(0, -1)
      .map((_, n, parts) => `${parts.slice(0, n + 1).join("/")}/`);
    return !named.slice(1).every((part) => text.includes(`\`${part}\``)) && !text.includes(`\`${folder}\``);
  });
  expect(unnamed).toEqual([]);
});

test("every term of the glossary occurs in the code", async () => {
  const [, glossary = ""] = (await textOf("docs/architecture.md")).split("## Glossary");
  const terms = [...glossary.matchAll(/^- \*\*([^*]+)\*\*/gm)].map(([, term = ""]) => term);
  expect(terms.length).toBeGreaterThan(10);
  expect(terms.length).toBeLessThanOrEqual(20);
  const code = (await Promise.all(sources.map(textOf))).join("\n").toLowerCase();
  const words = (term: string) => term.toLowerCase().replace(/[ -]/g, "[ -]?");
  expect(terms.filter((term) => !new RegExp(`\\b${words(term)}`).test(code))).toEqual([]);
});

test("no comment cites a document that is not here", async () => {
  const citing: string[] = [];
  for (const path of sources) {
    const text = await textOf(path);
    if (/\bspec(ification)? §|\bdesign\.md\b|\bspec\.md\b/.test(text)) citing.push(path);
  }
  expect(citing).toEqual([]);
});
