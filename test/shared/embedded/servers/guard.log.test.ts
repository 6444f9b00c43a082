import { expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { spawnGuarded, turnOver } from "../../../../shared/embedded/servers/guard.ts";
import { folderOfFile } from "../../../support/folder.ts";
import { eventually } from "../../../support/reminder/stack.ts";

const folder = folderOfFile("log");
const logFile = join(folder, "server.log");
const bytesOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

test("a server's log keeps its latest text in two files of bounded size, while the server goes on writing", async () => {
  const command = ["sh", "-c", "n=0; while :; do n=$((n + 1)); echo line $n; sleep 0.001; done"];
  const { stop } = spawnGuarded({ command, cwd: folder, logFile, stopSignal: "TERM" });
  await eventually(() => bytesOf(logFile) > 1_000 || undefined);
  turnOver(logFile, 1_000_000);
  expect(bytesOf(`${logFile}.1`)).toBe(0);
  turnOver(logFile, 1_000);
  const moved = readFileSync(`${logFile}.1`, "utf8");
  expect(moved).toStartWith("line 1\n");
  await eventually(() => bytesOf(logFile) > 1_000 || undefined);
  await stop();
  const rest = readFileSync(logFile, "utf8");
  expect(rest).toMatch(/^line \d+\nline \d+\n/);
  expect(Number(/line (\d+)/.exec(rest)?.[1])).toBeGreaterThan(moved.split("\n").length - 1);
  expect(statSync(`${logFile}.1`).mode & 0o077).toBe(0);
});

test("a log that is too large when its server starts is turned over at once", async () => {
  const large = join(folder, "large.log");
  await Bun.write(large, "x".repeat(10_000_001));
  const { stop } = spawnGuarded({
    command: ["sleep", "60"],
    cwd: folder,
    logFile: large,
    stopSignal: "TERM",
  });
  expect([bytesOf(large), bytesOf(`${large}.1`)]).toEqual([0, 10_000_001]);
  await stop();
});
