import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Glob } from "bun";

/** The clocks of processes. Each can be set wrong while its process runs. */
export type Clocks = Readonly<{
  /** The environment with which the process of that name must be started. */
  environment(name: string): Record<string, string>;
  set(name: string, seconds: number): void;
  remove(): void;
}>;

/** libfaketime, Debian's package `faketime`: the only way to set one process' clock wrong on a shared machine. */
const library = [...new Glob("/usr/lib/*/faketime/libfaketime.so.1").scanSync("/")][0];

/** True if clocks can be set wrong here. */
export const hasClocks = library !== undefined;

export function createClocks(): Clocks {
  const folder = mkdtempSync(join(tmpdir(), "kept-clocks-"));
  // PostgreSQL runs as a user of its own.
  chmodSync(folder, 0o755);
  const fileOf = (name: string) => join(folder, name);
  const set = (name: string, seconds: number) =>
    writeFileSync(fileOf(name), `${seconds < 0 ? "" : "+"}${seconds}\n`, { mode: 0o644 });
  return {
    set,
    environment(name) {
      if (library === undefined) return {};
      set(name, 0);
      return {
        LD_PRELOAD: library,
        FAKETIME_TIMESTAMP_FILE: fileOf(name),
        // The file is looked at once a second.
        FAKETIME_CACHE_DURATION: "1",
        // Timers go on correctly; only the time of day becomes wrong.
        FAKETIME_DONT_FAKE_MONOTONIC: "1",
        FAKETIME_DISABLE_SHM: "1",
      };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
