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

/** What one request leaves behind, in bytes: write-ahead log, and growth of the tables and their indexes. */
type Left = Readonly<{ wal: number; tables: number; indexes: number }>;

const position = `
  select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as wal,
    sum(pg_relation_size(oid)) filter (where relkind = 'r')::float8 as tables,
    sum(pg_relation_size(oid)) filter (where relkind = 'i')::float8 as indexes
  from pg_class where relnamespace = 'public'::regnamespace`;

/**
 * What each request of a scenario that writes leaves behind. A page's first change after a checkpoint is logged as a
 * whole: how often depends on the length of the run and not on the request, so these images are off meanwhile.
 */
export async function leftPerWrite(own: Subject, results: readonly Result[]): Promise<Record<string, Left>> {
  const sql = new SQL(own.databaseUrl, { max: 1 });
  const setPageImages = async (value: "on" | "off") => {
    await sql.unsafe(`alter system set full_page_writes = ${value}`);
    await sql`select pg_reload_conf()`;
    await Bun.sleep(500);
  };
  const left: Record<string, Left> = {};
  await setPageImages("off");
  for (const { scenario } of results.filter(({ scenario }) => writes.includes(scenario.name))) {
    const sequences = sequencesOf(scenario, own.tokens, own.port);
    const load = { port: own.port, connections: 16, sequences };
    await measure({ ...load, warmUpSeconds: 0, seconds: 1 });
    const [before] = await sql.unsafe<Left[]>(position);
    const { requests } = await measure({ ...load, warmUpSeconds: 0, seconds: 2 });
    const [after] = await sql.unsafe<Left[]>(position);
    const growth = (kind: keyof Left) => ((after?.[kind] ?? 0) - (before?.[kind] ?? 0)) / requests;
    left[scenario.name] = { wal: growth("wal"), tables: growth("tables"), indexes: growth("indexes") };
  }
  await setPageImages("on");
  await sql.close();
  return left;
}

type Footprint = Readonly<{ left: Record<string, Left>; idleMb: Memory; afterMb: Memory }>;

export function printStored({ left, idleMb, afterMb }: Footprint): void {
  const list = (figures: Record<string, number>) =>
    Object.entries(figures)
      .map(([name, figure]) => `${name} ${figure.toFixed(0)}`)
      .join(", ") || "none measured";
  const leftOf = (kind: keyof Left) =>
    list(Object.fromEntries(Object.entries(left).map(([name, bytes]) => [name, bytes[kind]])));
  console.log(`\nbytes of write-ahead log per request: ${leftOf("wal")}`);
  console.log(`bytes stored per request: in tables ${leftOf("tables")}; in indexes ${leftOf("indexes")}`);
  console.log(`resident memory, MB: idle ${list(idleMb)}; after: ${list(afterMb)}`);
}
