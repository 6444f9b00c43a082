import { expect, test } from "bun:test";
import { join } from "node:path";

const root = join(import.meta.dir, "../../..");

async function admin(...given: string[]): Promise<{ out: string; error: string; code: number }> {
  const command = [process.execPath, join(root, "api/cli/admin.ts"), ...given];
  const child = Bun.spawn(command, { cwd: "/", stdout: "pipe", stderr: "pipe" });
  const [out, error] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { out, error, code: await child.exited };
}

test("without a command, and for an unknown one, it lists all", async () => {
  const { out, code } = await admin();
  expect(code).toBe(0);
  expect([...out.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name)).toEqual([
    "actions",
    "archive-log",
    "backup",
    "connections",
    "doctor",
    "migrate",
    "move",
    "owner",
    "restore",
    "rotate",
  ]);
  expect(await admin("nothing")).toEqual({ out, error: "", code: 1 });
});

test("it becomes the command that is named, with its options and exit code, from any folder", async () => {
  const { error, code } = await admin("rotate", "nowhere");
  expect([error, code]).toEqual([
    "One of these is wanted: prepare, switch, finish. See docs/rotation.md.\n",
    1,
  ]);
  expect(await admin("rotate", "--", "nowhere")).toMatchObject({ error, code });
  expect((await admin("archive-log", "--before", "soon")).error).toStartWith("--before must be");
});
