import { existsSync, readFileSync } from "node:fs";
import { SQL } from "bun";
import { descendants } from "../support/descendants.ts";
import { measure, programs } from "./measure.ts";
import { type Scenario, sequencesOf } from "./scenarios.ts";
import type { Subject } from "./subject.ts";

/** Resident memory in MB, by program; the pages that PostgreSQL's processes share count once. */
export type Memory = Readonly<Record<string, number>>;

const pageBytes = 4_096;

/** The first that fits counts; what comes before the measured programs runs under `npm start` only. */
const known = {
  npm: /^npm /,
  supervisor: /bun\S* .*shared\/embedded\/main\.ts$/,
  identity: /bun\S* .*api\/identity\/main\.ts$/,
  ...programs,
};

export function memory(): Memory {
  const sizes: Record<string, number> = {};
  for (const { pid, command } of descendants()) {
    const name = Object.entries(known).find(([, pattern]) => pattern.test(command))?.[0];
    const file = `/proc/${pid}/statm`;
    // A connection's process may have ended meanwhile.
    if (name === undefined || !existsSync(file)) continue;
    const [, resident = 0, shared = 0] = readFileSync(file, "utf8").split(" ").map(Number);
    const pages = name === "postgres" ? resident - shared : resident;
    sizes[name] = (sizes[name] ?? 0) + (pages * pageBytes) / 1e6;
  }
  return sizes;
}

const writes = ["toggle", "complete", "create", "mcp-create", "mcp-read"];

type Written = Readonly<{ wal: number; stored: number }>;

/** Bytes for each request, by scenario: of write-ahead log, and by which tables and indexes grow. */
export async function bytesPerWrite(
  own: Subject,
  chosen: readonly Scenario[],
): Promise<Record<string, Written>> {
  const sql = new SQL(own.databaseUrl, { max: 1 });
  const look = async () => {
    const [row] = await sql`
      select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as wal, pg_database_size(current_database()) as stored`;
    return { wal: Number(row.wal), stored: Number(row.stored) };
  };
  const bytes: Record<string, Written> = {};
  await sql`checkpoint`;
  for (const scenario of chosen.filter(({ name }) => writes.includes(name))) {
    const sequences = sequencesOf(scenario, own, own.port);
    // A page's first change after a checkpoint is logged whole, so the first second does not count.
    const load = { port: own.port, connections: 16, sequences };
    await measure({ ...load, warmUpSeconds: 0, seconds: 1 });
    const before = await look();
    const { requests } = await measure({ ...load, warmUpSeconds: 0, seconds: 2 });
    const after = await look();
    bytes[scenario.name] = {
      wal: (after.wal - before.wal) / requests,
      stored: (after.stored - before.stored) / requests,
    };
  }
  await sql.close();
  return bytes;
}

export type Footprint = Readonly<{ written: Record<string, Written>; idleMb: Memory; afterMb: Memory }>;

export function printFootprint({ written, idleMb, afterMb }: Footprint): void {
  const ofEach = Object.entries(written).map(
    ([name, { wal, stored }]) => `${name} ${wal.toFixed(0)} / ${stored.toFixed(0)}`,
  );
  const list = (sizes: Memory) =>
    Object.entries(sizes)
      .map(([name, size]) => `${name} ${size.toFixed(0)}`)
      .join(", ");
  console.log(
    `\nbytes per request, write-ahead log / tables and indexes: ${ofEach.join(", ") || "none measured"}`,
  );
  console.log(`resident memory, MB: idle ${list(idleMb)}; after: ${list(afterMb)}`);
}
