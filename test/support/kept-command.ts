import { join } from "node:path";

export const keptMain = join(import.meta.dir, "../../api/client/cli/main.ts");

/** Runs `kept` from its source, with these settings and this input. */
export async function runKept(words: readonly string[], env: Record<string, string>, input = "") {
  const running = Bun.spawn([process.execPath, keptMain, ...words], {
    env: { ...process.env, KEPT_URL: "", KEPT_TOKEN: "", ...env },
    stdin: new Blob([input]),
    stderr: "pipe",
  });
  const [out, errors] = await Promise.all([running.stdout.text(), running.stderr.text()]);
  return { exitCode: await running.exited, out: out.trim(), errors: errors.trim() };
}
