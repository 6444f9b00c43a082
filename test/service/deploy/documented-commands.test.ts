import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { commandBlocks, commandLines, commandPages, type DocumentedBlock } from "../../support/documented.ts";
import { root } from "./compose-file.ts";

/** The reason why a block is unproven; undefined if a test runs it or its page explains why none does. */
function complaintAbout(block: DocumentedBlock): string | undefined {
  const { page, line, runBy, beside } = block;
  const lines = commandLines(block);
  if (lines.length === 0 || /Not run here: \S/.test(beside)) return undefined;
  const missing = runBy.filter((file) => !existsSync(join(root, file)));
  if (missing.length > 0) return `${page}:${line} names ${missing.join(", ")}, which is not there`;
  const texts = runBy.map((file) => readFileSync(join(root, file), "utf8"));
  const isRun = (command: string) => texts.some((text) => text.includes(page) || text.includes(command));
  const others = lines.filter((command) => !isRun(command));
  return others.length === 0
    ? undefined
    : `${page}:${line} has commands that no test runs: ${others.join(" ¶ ")}`;
}

test("each command that the documents tell to type is run by a test, or beside it stands why not", async () => {
  const blocks = (await Promise.all(commandPages.map(commandBlocks))).flat();
  expect(blocks.length).toBeGreaterThan(20);
  expect(blocks.map(complaintAbout).filter(Boolean)).toEqual([]);
});

test("a block that names no test, one that is not there, or one of other commands is found", () => {
  const block = { page: "docs/none.md", line: 1, text: "npm run nothing\n", runBy: [], beside: "" };
  expect(complaintAbout(block)).toContain("no test runs: npm run nothing");
  expect(complaintAbout({ ...block, runBy: ["test/none.test.ts"] })).toContain("which is not there");
  expect(complaintAbout({ ...block, runBy: ["test/run.ts"] })).toContain("no test runs");
  expect(complaintAbout({ ...block, beside: "Not run here: it needs a cluster." })).toBeUndefined();
  expect(complaintAbout({ ...block, text: "reboot # not run here: it ends the test\n" })).toBeUndefined();
});
