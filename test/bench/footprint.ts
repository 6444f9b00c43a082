import { readFileSync } from "node:fs";
import { SQL } from "bun";
import { descendants } from "../support/descendants.ts";
import { measure, programs } from "./measure.ts";
import type { Result } from "./run.ts";
import { sequencesOf } from "./scenarios.ts";
import type { Subject } from "./subject.ts";

/** Resident memory in MB, by program; the pages that PostgreSQL's processes share count once. */
export type Memory = Readonly<Record<string, number>>;

const pageBytes = 4_096;

export function memory(): Memory {
  const sizes: Record<string, number> = {};
  for (const { pid, command } of descendants()) {
    const name = Object.entries(programs).find(([, pattern]) => pattern.test(command))?.[0];
    if (name === undefined) continue;
    const [, resident = 0, shared = 0] = readFileSync(`/proc/${pid}/statm`, "utf8").split(" ").map(Number);
    const pages = name === "postgres" ? resident - shared : resident;
    sizes[name] = (sizes[name] ?? 0) + (pages * pageBytes) / 1e6;
  }
  return sizes;
}

const writes = ["toggle", "complete", "create", "mcp-create", "mcp-read"];

/** Bytes of write-ahead log for each request, by scenario: with one connection, so that nothing is shared. */
export async function walPerWrite(own: Subject, results: readonly Result[]): Promise<Record<string, number>> {
  const sql = new SQL(own.databaseUrl, { max: 1 });
  const position = async () =>
    Number((await sql`select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes`)[0].bytes);
  const bytes: Record<string, number> = {};
  await sql`checkpoint`;
  for (const { scenario } of results.filter(({ scenario }) => writes.includes(scenario.name))) {
    const sequences = sequencesOf(scenario, own.tokens, own.port);
    // A page's first change after a checkpoint is logged whole, so the first second does not count.
    const load = { port: own.port, connections: 16, sequences };
    await measure({ ...load, warmUpSeconds: 0, seconds: 1 });
    const before = await position();
    const { requests } = await measure({ ...load, warmUpSeconds: 0, seconds: 2 });
    bytes[scenario.name] = ((await position()) - before) / requests;
  }
  await sql.close();
  return bytes;
}

type Footprint = Readonly<{ walBytes: Record<string, number>; idleMb: Memory; afterMb: Memory }>;

export function printStored({ walBytes, idleMb, afterMb }: Footprint): void {
  const list = (figures: Record<string, number>) =>
    Object.entries(figures)
      .map(([name, figure]) => `${name} ${figure.toFixed(0)}`)
      .join(", ");
  console.log(`\nbytes of write-ahead log per request: ${list(walBytes) || "none measured"}`);
  console.log(`resident memory, MB: idle ${list(idleMb)}; after: ${list(afterMb)}`);
}
