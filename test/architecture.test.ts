import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { Glob } from "bun";
import { entities } from "../shared/db/entities.ts";

const root = join(import.meta.dir, "..");
const list = (pattern: string): string[] =>
  [...new Glob(pattern).scanSync({ cwd: root, dot: true })].filter(
    (path) => !path.startsWith("node_modules"),
  );
const textOf = (path: string): Promise<string> => Bun.file(join(root, path)).text();

const sources = ["api", "workers", "shared"].flatMap((folder) => list(`${folder}/**/*.{ts,tsx}`));

async function importsOf(path: string): Promise<string[]> {
  const specifiers = [...(await textOf(path)).matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(
    ([, specifier]) => specifier ?? "",
  );
  return specifiers
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => normalize(join(dirname(path), specifier)));
}

async function offences(
  of: (path: string) => boolean,
  forbidden: (target: string) => boolean,
): Promise<string[]> {
  const found: string[] = [];
  for (const path of sources.filter(of)) {
    for (const target of await importsOf(path))
      if (forbidden(target)) found.push(`${path} imports ${target}`);
  }
  return found;
}

const within =
  (...folders: string[]) =>
  (path: string): boolean =>
    folders.some((folder) => path.startsWith(`${folder}/`));

describe("layers", () => {
  test("api never imports workers, workers never import api", async () => {
    expect(await offences(within("api"), within("workers"))).toEqual([]);
    expect(await offences(within("workers"), within("api"))).toEqual([]);
  });

  test("shared imports neither, nor tests", async () => {
    expect(await offences(within("shared"), within("api", "workers", "test"))).toEqual([]);
  });

  test("nothing but the embedded services imports them", async () => {
    expect(await offences((path) => !within("shared/embedded")(path), within("shared/embedded"))).toEqual([]);
  });

  test("domain rules touch neither database nor queue", async () => {
    const io = within("shared/db", "shared/queue", "shared/embedded", "api", "workers");
    expect(await offences(within("shared/domain"), io)).toEqual([]);
  });

  test("contracts take their words from the domain: they import neither database nor queue", async () => {
    const io = within("shared/db", "shared/queue", "shared/embedded", "api", "workers");
    expect(await offences(within("shared/contracts"), io)).toEqual([]);
  });

  test("the front door and the workers meet only in shared", async () => {
    const outside = (target: string) => !within("api", "shared")(target);
    expect(await offences(within("api"), outside)).toEqual([]);
  });
});

test("the front door writes nothing: only the built-in identity provider has a schema of its own", async () => {
  const doors = sources.filter((path) => within("api")(path) && !within("api/identity")(path));
  const writing =
    /\b(insertInto|updateTable|deleteFrom)\b|\binsert into\b|\bupdate \w+ set\b|\bdelete from\b/i;
  const found: string[] = [];
  for (const path of doors) if (writing.test(await textOf(path))) found.push(path);
  expect(found).toEqual([]);
});

test("queries name no table but through their guard, which filters by the user", async () => {
  const unguarded = ["api/queries/guard.ts", "api/cli/subjects.ts"];
  const tables = entities.map(({ meta }) => meta.tableName).join("|");
  const naming = new RegExp(
    `\\b(from|join)\\s+"?(${tables})\\b|selectFrom\\(|sql\\.(raw|table|id|ref)\\b`,
    "i",
  );
  const doors = sources.filter((path) => within("api")(path) && !within("api/identity")(path));
  const found: string[] = [];
  for (const path of doors) if (naming.test(await textOf(path))) found.push(path);
  expect(found.sort()).toEqual(unguarded.sort());
});

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

test("packages are pinned, and the lock file names no registry host", async () => {
  const { dependencies, devDependencies } = JSON.parse(await textOf("package.json"));
  const versions: string[] = Object.values({ ...dependencies, ...devDependencies });
  expect(versions.filter((version) => !/^\d+\.\d+\.\d+[\w.-]*$/.test(version))).toEqual([]);
  expect(await textOf("package-lock.json")).not.toContain("://registry");
});
