import { closeSync, openSync } from "node:fs";
import { boundLog } from "../bounded-log.ts";
import { bareEnvironment } from "./bare-environment.ts";

/** A system user for a program. If optional, its absence means the current user. */
export type User = Readonly<{ uid: number; gid: number }>;

export type GuardedCommand = Readonly<{
  command: readonly string[];
  cwd: string;
  env?: Record<string, string | undefined>;
  user?: User | undefined;
  /** Receives stdout and stderr. */
  logFile: string;
  /** Asks the program to stop; KILL follows after 10 s. */
  stopSignal: "INT" | "TERM";
}>;

/** A running program and the guard it runs under. */
type Guarded = Readonly<{
  /** Resolves when guard and program have ended, with the program's exit code. */
  exited: Promise<number>;
  /** Stops the program, waiting at most a little over 10 s. */
  stop(): Promise<void>;
  /** Ends the program at once, even if it is frozen. */
  kill(): void;
}>;

// Stops the program when stdin ends, which the kernel guarantees even after a kill -9 of this process. The watch is
// a process of its own, to outlive a kill -9 of this shell; its group, sleep included, is ended last. The script is
// not a file, because the program's user may not read Kept's folders.
const guardScript = `
signal=$1; shift
exec 3<&0 </dev/null
"$@" 3<&- &
child=$!
{
  read -r line <&3
  kill -"$signal" "$child"
  tries=0
  while kill -0 "$child" && [ "$tries" -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
  kill -KILL "$child"
} >/dev/null 2>&1 &
exec 3<&-
wait "$child"
status=$?
trap "" TERM
kill -TERM 0
wait
exit "$status"
`;

/**
 * Runs a program that always ends with this process. Its own session keeps a Ctrl-C in the terminal from it, so
 * that programs can be stopped in order.
 */
export function spawnGuarded({ command, cwd, env, user, logFile, stopSignal }: GuardedCommand): Guarded {
  const log = openSync(logFile, "a", 0o600);
  const guard = Bun.spawn(["/bin/sh", "-c", guardScript, "guard", stopSignal, ...command], {
    cwd,
    env: env ?? bareEnvironment(),
    detached: true,
    stdio: ["pipe", log, log],
    ...user,
  });
  closeSync(log);
  const leaveLog = boundLog(logFile);
  // If only the guard's shell died, the end of its stdin makes the watch stop the program.
  const exited = guard.exited.finally(() => {
    leaveLog();
    return guard.stdin.end();
  });
  return {
    exited,
    async stop() {
      await guard.stdin.end();
      await exited;
    },
    // The guard leads a process group, and the program is in it.
    kill: () => process.kill(-guard.pid, "SIGKILL"),
  };
}
