import { closeSync, copyFileSync, lstatSync, openSync, realpathSync, statSync, truncateSync } from "node:fs";
import { dirname } from "node:path";

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
export function spawnGuarded({ command, cwd, env, user, logFile, stopSignal }: GuardedCommand) {
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
    /** Resolves when guard and program have ended, with the program's exit code. */
    exited,
    /** Stops the program, waiting at most a little over 10 s. */
    async stop(): Promise<void> {
      await guard.stdin.end();
      await exited;
    },
    /** Ends the program at once, even if it is frozen: the guard leads a process group, and the program is in it. */
    kill: () => process.kill(-guard.pid, "SIGKILL"),
  };
}

const harmless =
  /^(PATH|LANG|LC_\w+|LD_\w+|DYLD_\w+|FAKETIME_\w+|TZ|HOME|USER|LOGNAME|TMPDIR|APT_CONFIG|\w+_proxy)$/i;

/**
 * The environment for a foreign program. It may run as another user, and must not read the service's passwords and
 * secrets.
 */
export function bareEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => harmless.test(name)));
}

/**
 * True if only this user, root and the owner of this program can have created `path` or can change it. Programs
 * beside the data folder run unasked, and any user could put one into a folder that is open to all.
 */
export function hasTrustedOwners(path: string): boolean {
  // Both paths are checked, because a link of this user may lead through folders of others.
  return [path, realpathSync(path)].every((way) => foldersTo(way).every((folder) => isTrusted(folder, way)));
}

function foldersTo(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [path, ...foldersTo(parent)];
}

function isTrusted(path: string, last: string): boolean {
  const program = statSync(import.meta.dir);
  const { uid, gid, mode } = lstatSync(path);
  if (![0, process.getuid?.(), program.uid].includes(uid)) return false;
  const isLink = (mode & 0o170_000) === 0o120_000;
  const othersWrite = (mode & 0o002) !== 0;
  const groupWrites = (mode & 0o020) !== 0 && ![0, process.getgid?.(), program.gid].includes(gid);
  // In a sticky folder such as /tmp nobody can replace files of others, and its own owner was checked above.
  const isSticky = path !== last && (mode & 0o1000) !== 0;
  return isLink || isSticky || !(othersWrite || groupWrites);
}

/** A log and the one before it take at most twice this (bytes), and what a server writes within a minute. */
const mostBytes = 10_000_000;
const everyMs = 60_000;

/** Bounds a log as long as its server runs. @returns a function that ends that */
function boundLog(file: string): () => void {
  turnOver(file);
  const timer = setInterval(turnOver, everyMs, file);
  return () => clearInterval(timer);
}

/**
 * Moves the text of a large log to `file`.1 and empties the log, because its server holds it open and appends to it. Lines
 * written meanwhile are lost.
 */
export function turnOver(file: string, most = mostBytes): void {
  const { size = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {};
  if (size <= most) return;
  copyFileSync(file, `${file}.1`);
  truncateSync(file);
}
