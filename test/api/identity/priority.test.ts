import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { lowerPriority } from "../../../api/identity/priority.ts";

const hasAutogroups = existsSync("/proc/self/autogroup");
const niceOfSession = (pid: number): string | undefined =>
  hasAutogroups ? readFileSync(`/proc/${pid}/autogroup`, "utf8").match(/nice (-?\d+)/)?.[1] : undefined;

test.each([true, false])("a process gives way, and its session if it leads one (%p)", async (detached) => {
  const own = niceOfSession(process.pid);
  const child = Bun.spawn(["sleep", "60"], { detached });
  lowerPriority(7, child.pid);
  expect(getPriority(child.pid)).toBe(7);
  expect(niceOfSession(child.pid)).toBe(detached && hasAutogroups ? "7" : own);
  expect(niceOfSession(process.pid)).toBe(own);
  child.kill();
  await child.exited;
});

test("a process that has less priority already keeps it", async () => {
  const script = `import { getPriority } from "node:os";
    import { lowerPriority } from "./api/identity/priority.ts";
    lowerPriority(5);
    console.log(getPriority());`;
  // Only root may raise a priority, so the process is another user's.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const niced = Bun.spawn(["nice", "-n", "8", process.execPath, "-e", script], {
    stderr: "inherit",
    ...user,
  });
  expect(Number(await niced.stdout.text())).toBe(8);
});
