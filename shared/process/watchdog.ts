export type SignOfLife = Readonly<{ alive: true }>;

const supervisorHearsEveryMs = 1_000;

/** npm and some supervisors repeat a signal within this many milliseconds. */
export const sameSignalMs = 500;

/**
 * Tells whoever watches this process that it is alive: systemd as often as that asks (`WatchdogSec`), or the supervisor.
 * Both replace a process that falls silent.
 */
export function feedWatchdog(isAlive: () => boolean): void {
  const { NOTIFY_SOCKET, WATCHDOG_PID, WATCHDOG_USEC } = process.env;
  // A role under `npm start` inherits these, but its supervisor is the service.
  const isService = Boolean(NOTIFY_SOCKET) && Number(WATCHDOG_PID) === process.pid;
  if (isService) every(Number(WATCHDOG_USEC) / 3_000, tellSystemd);
  else if (process.send)
    every(supervisorHearsEveryMs, () => process.send?.({ alive: true } satisfies SignOfLife));

  function every(ms: number, tell: () => unknown): void {
    setInterval(() => isAlive() && tell(), ms).unref();
  }
}

/** Its own program sends the message, because Bun has no sockets of this kind. */
const tellSystemd = () =>
  Bun.spawn(["systemd-notify", "WATCHDOG=1"], { stdio: ["ignore", "ignore", "ignore"] });
