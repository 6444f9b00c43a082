import { join } from "node:path";
import { inFolder } from "../../support/folder.ts";

type Options = Readonly<{ url: string; script: string; connections: number; seconds: number }>;

/** The server takes 200 connections, including those of the bench. */
const maxClients = 128;

/**
 * Measures PostgreSQL alone with the same statements: pgbench, prepared, over as many connections as it takes.
 * @returns transactions per second
 */
export function pgbench({ url, script, connections, seconds }: Options): Promise<number> {
  return inFolder("bench", async (folder) => {
    const file = join(folder, "script.sql");
    await Bun.write(file, script);
    const { hostname, port, username, password, pathname } = new URL(url);
    const clients = Math.min(connections, maxClients);
    const options = ["-n", "-M", "prepared", "-c", `${clients}`, "-j", "2", "-T", `${seconds}`, "-f", file];
    const child = Bun.spawn(["pgbench", ...options, pathname.slice(1)], {
      env: { ...process.env, PGHOST: hostname, PGPORT: port, PGUSER: username, PGPASSWORD: password },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [output, complaint] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    if ((await child.exited) !== 0) throw new Error(`pgbench failed: ${complaint.trim() || output.trim()}`);
    // On a very busy machine no transaction ends in two seconds.
    return Number(/^tps = ([\d.]+)/m.exec(output)?.[1] ?? 0);
  });
}

/** @throws when pgbench is missing, with the package to install */
export function demandPgbench(): void {
  if (!Bun.which("pgbench"))
    throw new Error(
      "npm run bench compares with pgbench, which is not on PATH: install postgresql-contrib (Debian: postgresql).",
    );
}
