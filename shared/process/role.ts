import { type Config, loadConfig } from "./config.ts";
import { createLog, type Log } from "./log.ts";

/** A started role: how to stop it, and details that `npm start` shows. */
export type Role = Readonly<{ stop(): Promise<void>; details?: Record<string, string> }>;

/** The message from a role to its supervisor as soon as it serves. */
export type Ready = Readonly<{ ready: true; details: Record<string, string> }>;

const drainMs = 10_000;

/**
 * Runs one process of Kept: start, report, serve until SIGINT or SIGTERM, drain for at most 10 s. It works the same
 * alone and under the supervisor of `npm start`, but there it ends when the supervisor is gone. A start that fails is
 * logged and ends the process with exit code 1.
 */
export async function runRole(
  name: string,
  start: (context: { config: Config; log: Log }) => Promise<Role>,
): Promise<void> {
  const log = createLog(name, "info");
  process.on("uncaughtException", (error) => crash(log, error));
  process.on("unhandledRejection", (reason) => crash(log, reason));
  // A supervisor that is killed -9 sends no message, but its end of the channel closes.
  process.on("disconnect", () => process.exit(1));
  if (isSupervised() && !process.connected) process.exit(1);

  const starting = Promise.resolve().then(() => {
    const config = loadConfig();
    log.level = config.logLevel;
    return start({ config, log });
  });
  let stopping = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      stop(starting, log, signal).catch((error) => crash(log, error));
    });
  }
  const role = await starting.catch((error) => crash(log, error));
  if (!isSupervised()) log.info("ready");
  process.send?.({ ready: true, details: role.details ?? {} } satisfies Ready);
}

/** Whether a supervisor runs this process, which tells people itself when a role is ready and when it has stopped. */
const isSupervised = (): boolean => process.send !== undefined;

async function stop(starting: Promise<Role>, log: Log, signal: string): Promise<never> {
  if (!isSupervised()) log.info({ signal }, "stopping");
  const drained = starting.then((role) => role.stop()).then(() => true);
  const inTime = await Promise.race([drained, Bun.sleep(drainMs).then(() => false)]);
  if (!inTime) log.error(`not drained within ${drainMs / 1000} s`);
  process.exit(inTime ? 0 : 1);
}

/** Logs the message and the stack only, because an error of a driver may hold its connection's password. */
function crash(log: Log, error: unknown): never {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  log.fatal({ stack }, message);
  process.exit(1);
}
