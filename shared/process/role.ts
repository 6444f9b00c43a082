import { type Config, loadConfig } from "./config.ts";
import { createLog, type Log } from "./observe/log.ts";

/** A started role: how to stop it, and details that `npm start` shows. */
export type Role = Readonly<{ stop(): Promise<void>; details?: Record<string, string> }>;

/** The message from a role to its supervisor as soon as it serves. */
export type Ready = Readonly<{ ready: true; details: Record<string, string> }>;

/** How long a role may take to stop, beside the drain time. */
const stopMs = 10_000;
/** npm and some supervisors pass on a signal that the process has got already, which makes two of one. */
const sameSignalMs = 500;

/**
 * Runs one process of Kept: start, report, serve until SIGINT or SIGTERM, then stop within the drain time and 10 s more;
 * a second signal ends it at once. It works the same alone and under the supervisor of `npm start`, but there it ends
 * when the supervisor is gone. A start that fails is logged and ends the process with exit code 1.
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

  let withinMs = stopMs;
  const starting = Promise.resolve().then(() => {
    const config = loadConfig();
    log.level = config.logLevel;
    withinMs += config.drainSeconds * 1_000;
    return start({ config, log });
  });
  let stoppingSince: number | undefined;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (stoppingSince !== undefined) return endIfAskedAgain(stoppingSince, log);
      stoppingSince = performance.now();
      stop(starting, { log, signal, withinMs }).catch((error) => crash(log, error));
    });
  }
  const role = await starting.catch((error) => crash(log, error));
  if (!isSupervised()) log.info("ready");
  process.send?.({ ready: true, details: role.details ?? {} } satisfies Ready);
}

/** Whether a supervisor runs this process, which tells people itself when a role is ready and when it has stopped. */
const isSupervised = (): boolean => process.send !== undefined;

function endIfAskedAgain(stoppingSince: number, log: Log): void {
  if (performance.now() - stoppingSince < sameSignalMs) return;
  log.warn("told to stop twice: ended without waiting for what is under way");
  process.exit(1);
}

type Stop = Readonly<{ log: Log; signal: string; withinMs: number }>;

async function stop(starting: Promise<Role>, { log, signal, withinMs }: Stop): Promise<never> {
  if (!isSupervised()) log.info({ signal }, "stopping");
  const stopped = starting.then((role) => role.stop()).then(() => true);
  const inTime = await Promise.race([stopped, Bun.sleep(withinMs).then(() => false)]);
  if (!inTime) log.error(`not stopped within ${withinMs / 1_000} s`);
  process.exit(inTime ? 0 : 1);
}

/** Logs the message and the stack only, because an error of a driver may hold its connection's password. */
function crash(log: Log, error: unknown): never {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  log.fatal({ stack }, message);
  process.exit(1);
}
