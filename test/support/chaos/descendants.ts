import { readdirSync, readFileSync } from "node:fs";

export type Descendant = Readonly<{
  pid: number;
  parent: number;
  /** The program's name and its arguments. */
  command: string;
  /** User and system time so far, with that of its ended children. */
  cpuMs: number;
}>;

/** The kernel counts processor time in ticks of 10 ms (USER_HZ, 100 on every Linux). */
const tickMs = 10;

/** Every process below this one, by Linux' /proc. */
export function descendants(): Descendant[] {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap(look);
  const below = new Set([process.pid]);
  // A child's id may be smaller than its parent's, so this repeats until nothing is added.
  for (let size = 0; size !== below.size; ) {
    size = below.size;
    for (const { pid, parent } of all) if (below.has(parent)) below.add(pid);
  }
  return all.filter(({ pid }) => pid !== process.pid && below.has(pid));
}

function look(pid: string): Descendant[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may hold anything; after it, the fields of proc_pid_stat(5) from the third on.
    const fields = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const ticks = fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0);
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
    return [{ pid: Number(pid), parent: fields[1] ?? 0, command, cpuMs: ticks * tickMs }];
  } catch {
    return []; // The process ended meanwhile.
  }
}
