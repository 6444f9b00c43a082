import { readFileSync } from "node:fs";
import { SQL } from "bun";
import { descendants } from "../../support/chaos/descendants.ts";
import { measure, programs } from "./load/measure.ts";
import { type Scenario, sequencesOf } from "./scenarios.ts";
import type { Subject } from "./subject.ts";

/** Memory in MB, by program. A page that processes share counts as a part of each, so the sum counts it once. */
export type Memory = Readonly<Record<string, number>>;

/** The first match counts. The programs before the measured ones run only under `npm start`. */
const known = {
  npm: /^npm /,
  supervisor: /bun\S* .*shared\/embedded\/main\.ts$/,
  ...programs,
};

/** @param named finds the programs to measure; unset: those of Kept and its servers */
export function memory(named: Readonly<Record<string, RegExp>> = known): Memory {
  const sizes: Record<string, number> = {};
  for (const { pid, command } of descendants()) {
    const name = Object.entries(named).find(([, pattern]) => pattern.test(command))?.[0];
    if (name !== undefined) sizes[name] = (sizes[name] ?? 0) + (proportionalKb(pid) * 1_024) / 1e6;
  }
  return sizes;
}

function proportionalKb(pid: number): number {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0);
  } catch {
    // A connection's process may have ended meanwhile.
    return 0;
  }
}

const writes = ["toggle", "complete", "create", "mcp-create", "mcp-read"];

/**
 * Bytes in the write-ahead log that each request of a writing scenario leaves. PostgreSQL logs a whole page at its first change after a
 * checkpoint, which depends on the length of the run, so these images are turned off.
 */
export async function bytesPerWrite(
  own: Subject,
  chosen: readonly Scenario[],
): Promise<Footprint["written"]> {
  await using sql = new SQL(own.databaseUrl, { max: 1 });
  const setPageImages = async (value: "on" | "off") => {
    await sql.unsafe(`alter system set full_page_writes = ${value}`);
    await sql`select pg_reload_conf()`;
    await Bun.sleep(500);
  };
  const left: Footprint["written"] = {};
  const position = async (): Promise<number> =>
    (await sql`select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as bytes`)[0].bytes;
  await setPageImages("off");
  for (const scenario of chosen.filter(({ name }) => writes.includes(name))) {
    const load = { port: own.port, connections: 16, sequences: sequencesOf(scenario, own) };
    await measure({ ...load, warmUpSeconds: 0, seconds: 1 });
    const before = await position();
    const { requests } = await measure({ ...load, warmUpSeconds: 0, seconds: 2 });
    left[scenario.name] = ((await position()) - before) / requests;
  }
  await setPageImages("on");
  return left;
}

export type Footprint = Readonly<{ written: Record<string, number>; idleMb: Memory; afterMb: Memory }>;

export function printFootprint({ written, idleMb, afterMb }: Footprint): void {
  const list = (figures: Readonly<Record<string, number>>) =>
    Object.entries(figures)
      .map(([name, figure]) => `${name} ${figure.toFixed(0)}`)
      .join(", ") || "none measured";
  console.log(`\nbytes of write-ahead log per request: ${list(written)}`);
  console.log(`memory, MB: idle ${list(idleMb)}; after: ${list(afterMb)}`);
}
