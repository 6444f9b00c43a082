import { join } from "node:path";

/** Runs a command of api/cli from another folder, with only these settings. */
export async function runCli(name: "admin" | "owner", env: Record<string, string>, ...given: string[]) {
  const command = [process.execPath, join(import.meta.dir, `../../api/cli/${name}.ts`), ...given];
  const own = { PATH: process.env.PATH, ...env };
  const child = Bun.spawn(command, { env: own, cwd: "/", stdio: ["ignore", "pipe", "pipe"] });
  const [output, complaint] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { output, complaint, code: await child.exited };
}
