import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { list, root, sources, textOf } from "./sources.ts";

test("every path that the docs cite exists", async () => {
  const missing: string[] = [];
  for (const page of ["README.md", "CONTRIBUTING.md", ...list("docs/**/*.md")]) {
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

const pages = list("docs/*.md").filter((page) => page !== "docs/third-party.md");
const wordsIn = (text: string) => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

test("a page begins with what its reader can do, and none but the decisions has over 2,000 words", async () => {
  const wrong: string[] = [];
  for (const page of pages) {
    const text = await textOf(page);
    if (!/^# .+\n\nAfter this page /.test(text)) wrong.push(`${page} does not begin with "After this page"`);
    if (page !== "docs/decisions.md" && wordsIn(text) > 2_000)
      wrong.push(`${page} has ${wordsIn(text)} words`);
  }
  expect(wrong).toEqual([]);
});

test("the map names the folders of each layer, and each door", async () => {
  const text = await textOf("docs/architecture.md");
  const named = sources.map((path) => {
    const [layer, folder, door] = path.split("/");
    return folder === "doors" ? `${layer}/${folder}/${door}/` : `${layer}/${folder}/`;
  });
  const folders = new Set(named.filter((folder) => !folder.includes(".")));
  expect([...folders].filter((folder) => !text.includes(`\`${folder}\``))).toEqual([]);
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

test("each decision has its context, decision and consequence, in at most 120 words", async () => {
  const decisions = (await textOf("docs/decisions.md")).split(/^### /m).slice(1);
  const wordsOf = (text: string) => (text.split(/^## /m)[0] ?? "").split(/\s+/).filter(Boolean).length;
  const isWhole = (text: string) =>
    /\*\*Context\.\*\*\s.+\*\*Decision\.\*\*\s.+\*\*Consequence\.\*\*\s/s.test(text);
  expect(decisions.length).toBeGreaterThan(50);
  expect(decisions.filter((text) => !isWhole(text) || wordsOf(text) > 120)).toEqual([]);
});
