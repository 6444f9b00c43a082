import { readFileSync } from "node:fs";
import { type LifeWatch, watchForLife } from "../signs-of-life.ts";
import { type GuardedCommand, spawnGuarded } from "./guard.ts";
import type { Life } from "./supervisor.ts";

/** After a crash a database may have to recover from a long log. */
const startupMs = 120_000;

type Options = Readonly<{
  /** The longest wait for the first answer. */
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
