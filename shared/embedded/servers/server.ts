import { readFileSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { type GuardedCommand, spawnGuarded } from "./guard.ts";
import type { Life } from "./supervisor.ts";

/** After a crash a database may have to recover from a long log. */
const startupMs = 120_000;

type Options = Readonly<{
  patienceMs?: number;
  /** Asks the running server for a sign of life. A server that gives none is killed. */
  isAlive?: (() => Promise<boolean>) | undefined;
}>;

/** Launches a server, which is ready as soon as `answers` resolves to true. */
export function launchServer(
  name: string,
  command: GuardedCommand,
  answers: () => Promise<boolean>,
  { patienceMs = startupMs, isAlive }: Options = {},
): Life<void> {
  const server = spawnGuarded(command);
  let ended = false;
  let watch: LifeWatch | undefined;
  const exited = server.exited.then((code) => {
    ended = true;
    watch?.end();
    return watch?.isHanging() ? "it hung" : `exit code ${code}`;
  });

  async function ready() {
    const deadline = performance.now() + patienceMs;
    while (!(await answers())) {
      if (ended || performance.now() > deadline)
        throw new Error(`${name} did not start: see ${command.logFile}\n${lastLines(command.logFile)}`);
      await Bun.sleep(20);
    }
    if (isAlive) watch = watchForLife(server.kill, () => isAlive().then((is) => is && watch?.heard()));
  }

  return {
    ready: ready(),
    exited,
    stop() {
      watch?.end();
      return server.stop();
    },
  };
}

const lastLines = (file: string): string =>
  readFileSync(file, "utf8").trimEnd().split("\n").slice(-5).join("\n");

/**
 * Ends the server that an earlier run left in `folder`, and removes its pid file, which would stop the next server.
 * After a reboot the pid may be any process's, so it is ended only if its working directory is that folder.
 */
export async function endOrphan(
  pidFile: string,
  folder: string,
  polite: "SIGINT" | "SIGTERM",
): Promise<void> {
  const pid = readPid(pidFile);
  if (pid === undefined) return;
  for (const signal of [polite, "SIGKILL"] as const) {
    if (!worksIn(pid, folder)) break;
    process.kill(pid, signal);
    const deadline = performance.now() + 10_000;
    while (worksIn(pid, folder) && performance.now() < deadline) await Bun.sleep(20);
  }
  rmSync(pidFile, { force: true });
}

function readPid(pidFile: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(pidFile, "utf8"), 10);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function worksIn(pid: number, folder: string): boolean {
  if (process.platform === "linux") {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(folder);
    } catch {
      return false;
    }
  }
  const { stdout } = Bun.spawnSync(["lsof", "-a", "-p", String(pid), "-d", "cwd", "-Fn"]);
  return stdout
    .toString()
    .split("\n")
    .includes(`n${realpathSync(folder)}`);
}

const listenMs = 1_500;
/** A process that is silent for so many times in a row hangs. Times in which the machine sleeps do not count. */
const silentAtMost = 5;
/** Later answers come to nobody, so that questions to a frozen server do not pile up. */
const answerMs = 5_000;

export type LifeWatch = ReturnType<typeof watchForLife>;

/** Kills a process that gives no sign of life. Kept's own give theirs (`feedWatchdog`), others are asked for it. */
export function watchForLife(kill: () => void, ask = () => {}) {
  let silent = 0;
  const isHanging = () => silent >= silentAtMost;
  const listening = setInterval(() => {
    if (isHanging()) return kill();
    silent += 1;
    ask();
  }, listenMs);
  return {
    heard() {
      silent = 0;
    },
    isHanging,
    end: () => clearInterval(listening),
  };
}

/** True if the server at this port says anything: an error is a sign of life, too. */
export function saysAnything(port: number, question: string | Uint8Array): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(question));
    socket.setTimeout(answerMs, () => socket.destroy());
    socket.on("error", () => {});
    socket.once("close", () => resolve(false));
    socket.once("data", () => {
      resolve(true);
      socket.destroy();
    });
  });
}
