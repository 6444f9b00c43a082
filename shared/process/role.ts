import { type Config, loadConfig } from "./config.ts";
import { createLog, type Log } from "./observe/log.ts";
import { feedWatchdog, type SignOfLife, sameSignalMs } from "./watchdog.ts";

export type Role = Readonly<{
  stop(): Promise<void>;
  /** Details for `npm start` to show. */
  details?: Record<string, string>;
  /** The parts of this process that hang and need a restart. */
  hanging?(): string[];
}>;

export type StartRole = (context: { config: Config; log: Log }) => Promise<Role>;

/** A role tells its supervisor once that it serves, and again and again that it is alive. */
export type FromRole = Readonly<{ alive: false; details: Record<string, string> }> | SignOfLife;

/** Milliseconds that a role may take to stop, beside the drain time. */
const stopMs = 10_000;

/**
 * Runs one process of Kept until SIGINT or SIGTERM, then stops it within the drain time and 10 s more; a second signal
 * ends it at once. Under the supervisor of `npm start` it also ends with the supervisor. A failed start is logged and
 * exits with code 1.
 */
export async function runRole(name: string, start: StartRole): Promise<void> {
  const log = createLog(name, "info");
  process.on("uncaughtException", (error) => crash(log, error));
  process.on("unhandledRejection", (reason) => crash(log, reason));
  // A supervisor that is killed -9 sends no message, but its end of the channel closes.
  process.on("disconnect", () => process.exit(1));
  if (isSupervised() && !process.connected) process.exit(1);

  let role: Role | undefined;
  feedWatchdog(() => (role?.hanging?.() ?? []).length === 0);

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
  role = await starting.catch((error) => crash(log, error));
  if (!isSupervised()) log.info("ready");
  process.send?.({ alive: false, details: role.details ?? {} } satisfies FromRole);
}

/** True if a supervisor runs this process; it tells people itself when a role is ready and has stopped. */
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

/** Logs only the message and the stack, because an error of a driver may hold its connection's password. */
function crash(log: Log, error: unknown): never {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  log.fatal({ stack }, message);
  process.exit(1);
}
