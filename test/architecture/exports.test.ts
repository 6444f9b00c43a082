import { expect, test } from "bun:test";
import { dirname, join, normalize } from "node:path";
import { list, sources, textOf } from "./sources.ts";

type Export = Readonly<{ name: string; path: string; isType: boolean }>;

const exported: Export[] = [];
for (const path of sources) {
  if (path.startsWith("shared/db/migrations/")) continue;
  const text = await textOf(path);
  const declarations = text.matchAll(/^export (?:async )?(type|const|function\*?|class) (\w+)/gm);
  for (const [, kind, name = ""] of declarations) exported.push({ name, path, isType: kind === "type" });
}

/** The names that each file imports from another: `*` for all. */
const taken = new Set<string>();
for (const path of [...sources, ...list("test/**/*.ts")]) {
  const text = await textOf(path);
  for (const [, names = "", specifier = ""] of text.matchAll(
    /(?:import|export)\s+([^;"]*?)\s*from\s+"(\.[^"]+)"/g,
  )) {
    const target = normalize(join(dirname(path), specifier));
    if (names.includes("*")) taken.add(`${target} *`);
    for (const [name] of names.matchAll(/\w+/g)) taken.add(`${target} ${name}`);
  }
  for (const [, names = "", specifier = ""] of text.matchAll(
    /const \{([^}]*)\} = await import\("(\.[^"]+)"\)/g,
  ))
    for (const [name] of names.matchAll(/\w+/g))
      taken.add(`${normalize(join(dirname(path), specifier))} ${name}`);
}

test("nothing is exported that nobody imports", () => {
  const unused = exported.filter(
    ({ name, path }) => !taken.has(`${path} ${name}`) && !taken.has(`${path} *`),
  );
  expect(unused.map(({ name, path }) => `${name} of ${path}`)).toEqual([]);
});

test("no exported name means two things", () => {
  // A schema and the type of what it describes are one thing; so are the same verb's contract and handler.
  const places = Map.groupBy(exported, ({ name }) => name);
  const doubled = [...places].filter(([, all]) => new Set(all.map(({ path }) => path)).size > 1);
  expect(doubled.map(([name, all]) => `${name}: ${all.map(({ path }) => path).join(", ")}`)).toEqual([]);
});

test("no exported type hides one of the Web platform", () => {
  const hiding = exported.filter(({ name, isType }) => isType && name in globalThis);
  expect(hiding.map(({ name, path }) => `${name} of ${path}`)).toEqual([]);
});
