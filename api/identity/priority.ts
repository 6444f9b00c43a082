import { readFileSync, writeFileSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

/**
 * Gives a process a lower priority. Linux may compare nice values only within a session, and gives each session the
 * same share (sched(7), autogroups), so a process that leads a session passes its value on to that. Never fails.
 */
export function lowerPriority(nice: number, pid = process.pid): void {
  try {
    setPriority(pid, Math.max(nice, getPriority(pid)));
    if (sessionOf(pid) === pid) writeFileSync(`/proc/${pid}/autogroup`, String(nice));
  } catch {
    // A sandbox may forbid it; the file is missing on macOS, and from kernels without autogroups.
  }
}

/** The sixth field; the second is a program's name, which may have spaces and brackets. */
const sessionOf = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[3]);
};
