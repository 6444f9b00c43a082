import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * Unpacks the first of the packages that can be had, with what it depends on and the system lacks, into
 * `folder`/root. Nothing is installed and no script of a package runs, so it needs no root.
 * @throws with apt's own words when none can be had.
 */
export async function fetchDebianPackage(choices: readonly string[], folder: string): Promise<void> {
  try {
    await fetchAny(choices, folder, []);
  } catch {
    // The system's package lists are missing (container images) or name versions that are gone.
    const options = privateLists(folder);
    await run(["apt-get", ...options, "update"], folder);
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
  const plan = await run(
    ["apt-get", ...options, "install", "--simulate", "--no-install-recommends", name],
    folder,
  );
  // "Inst name (version …)" is new; "Inst name [installed] (version …)" would be an upgrade.
  const missing = [...plan.matchAll(/^Inst (\S+) \(/gm)].flatMap(([, found]) => found ?? []);
  await run(["apt-get", ...options, "download", ...missing], folder);
  for (const file of readdirSync(folder).filter((file) => file.endsWith(".deb")))
    await run(["dpkg-deb", "--extract", file, "root"], folder);
}

async function run(command: string[], cwd: string): Promise<string> {
  const env = { ...process.env, LC_ALL: "C" };
  const child = Bun.spawn(command, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const [output, complaint, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${command.join(" ")}: ${complaint.trim()}`);
  return output;
}
