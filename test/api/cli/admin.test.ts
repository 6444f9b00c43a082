import { expect, test } from "bun:test";
import { runCli } from "../../support/cli.ts";
import { wordsIn } from "../../support/text-table.ts";

const admin = (...given: string[]) => runCli("admin", {}, ...given);

test("without a command, and for an unknown one, it lists all", async () => {
  const { output, code } = await admin();
  expect(code).toBe(0);
  expect([...output.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name)).toEqual(
    wordsIn(`
  actions archive-log backup connections doctor migrate move owner restore rotate`),
  );
  expect(await admin("nothing")).toEqual({ output, complaint: "", code: 1 });
});

test("it becomes the command that is named, with its options and exit code, from any folder", async () => {
  const { complaint, code } = await admin("rotate", "nowhere");
  expect([complaint, code]).toEqual([
    "One of these is wanted: prepare, switch, finish. See docs/rotation.md.\n",
    1,
  ]);
  expect(await admin("rotate", "--", "nowhere")).toMatchObject({ complaint, code });
  expect((await admin("archive-log", "--before", "soon")).complaint).toStartWith("--before must be");
});
