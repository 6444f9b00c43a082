import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { labs } from "../labs/labs.ts";
import { readManifest, root } from "../labs/supply-chain/packages.ts";
import { wordsIn } from "../support/text-table.ts";
import { list, sources, textOf } from "./sources.ts";

const { scripts } = readManifest();
const admin = textOf("api/cli/admin.ts");
const pathsIn = (command: string): string[] =>
  command.match(/\b(?:api|workers|shared|test)\/[\w./-]+/g) ?? [];

test("package.json has at most 17 scripts", () => {
  expect(Object.keys(scripts).length).toBeLessThanOrEqual(17);
});

test("each script, lab and admin command runs what is here", async () => {
  const commands = [...Object.values(scripts), ...Object.values(labs).map(({ runs }) => runs), await admin];
  expect(commands.flatMap(pathsIn).filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test("every script, lab and admin command that a text names is there", async () => {
  const commands = await admin;
  const isThere = (script: string, name: string): boolean => {
    if (!(script in scripts)) return false;
    if (script === "lab") return name === "" || name === "NAME" || name in labs;
    if (script === "admin")
      return name === "" || name === "COMMAND" || new RegExp(`^  "?${name}"?: { says`, "m").test(commands);
    return true;
  };
  const texts = [
    ...wordsIn(".ci/run .ci/servers .github/workflows/ci.yml README.md CONTRIBUTING.md CHANGELOG.md"),
    ...list("docs/**/*.md"),
    ...sources,
  ];
  const missing: string[] = [];
  for (const path of texts)
    for (const [named, script = "", name = ""] of (await textOf(path)).matchAll(
      /npm run (?:--silent )?([a-z:-]+)(?: -- ([\w-]+))?/g,
    ))
      if (!isThere(script, name)) missing.push(`${path}: ${named}`);
  expect(missing).toEqual([]);
});
