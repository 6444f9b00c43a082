import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { bareEnvironment } from "./bare-environment.ts";

/**
 * Unpacks the first available package of `choices`, and the dependencies that the system lacks, into `folder`/root.
 * Nothing is installed and no script of a package runs, so this needs no root.
 * @throws with apt's error message when none is available.
 */
export async function fetchDebianPackage(choices: readonly string[], folder: string): Promise<void> {
  try {
    await fetchAny(choices, folder, []);
  } catch {
    // The system's package lists are missing (container images) or name versions that are gone.
    const options = privateLists(folder);
    // One unreachable source fails the whole update, but the package may come from another source.
    await apt(["update"], folder, options).catch(() => {});
    await fetchAny(choices, folder, options);
  }
}

function privateLists(folder: string): string[] {
  const lists = join(folder, "lists");
  const cache = join(folder, "cache");
  mkdirSync(join(lists, "partial"), { recursive: true });
  mkdirSync(join(cache, "archives/partial"), { recursive: true });
  return ["-o", `Dir::State::Lists=${lists}`, "-o", `Dir::Cache=${cache}`, "-o", "Debug::NoLocking=1"];
}

async function fetchAny(choices: readonly string[], folder: string, options: string[]): Promise<void> {
  const failures: unknown[] = [];
  for (const name of choices) {
    try {
      return await fetchPackage(name, folder, options);
    } catch (error) {
      failures.push(error);
    }
  }
  throw failures[0];
}

async function fetchPackage(name: string, folder: string, options: string[]): Promise<void> {
  const plan = await apt(["install", "--simulate", "--no-install-recommends", name], folder, options);
  // "Inst name (version …)" is new; "Inst name [installed] (version …)" would be an upgrade.
  const missing = [...plan.matchAll(/^Inst (\S+) \(/gm)].flatMap(([, found]) => found ?? []);
  await apt(["download", ...missing], folder, options);
  for (const file of readdirSync(folder).filter((file) => file.endsWith(".deb")))
    await run(["dpkg-deb", "--extract", file, "root"], folder);
}

function apt(command: string[], folder: string, options: string[]): Promise<string> {
  const patience = ["-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=20"];
  return run(["apt-get", ...patience, ...options, ...command], folder);
}

async function run(command: string[], cwd: string): Promise<string> {
  const env = { ...bareEnvironment(), LC_ALL: "C" };
  const child = Bun.spawn(command, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const [output, complaint, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${command[0]} said: ${complaint.trim()}`);
  return output;
}
