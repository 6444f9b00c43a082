import { readFileSync } from "node:fs";
import { type GuardedCommand, spawnGuarded } from "./guard.ts";
import type { Life } from "./supervisor.ts";

/** After a crash a database may have to recover from a long log. */
const startupMs = 120_000;

/**
 * Launches a server, which is ready as soon as `answers` resolves to true.
 * @param patienceMs the longest wait for that
 */
export function launchServer(
  name: string,
  command: GuardedCommand,
  answers: () => Promise<boolean>,
  patienceMs = startupMs,
): Life<void> {
  const server = spawnGuarded(command);
  let ended = false;
  const exited = server.exited.then((code) => {
    ended = true;
    return `exit code ${code}`;
  });

  async function ready() {
    const deadline = performance.now() + patienceMs;
    while (!(await answers())) {
      if (ended || performance.now() > deadline)
        throw new Error(`${name} did not start: see ${command.logFile}\n${lastLines(command.logFile)}`);
      await Bun.sleep(20);
    }
  }

  return { ready: ready(), exited, stop: server.stop };
}

const lastLines = (file: string): string =>
  readFileSync(file, "utf8").trimEnd().split("\n").slice(-5).join("\n");
