/**
 * Tells systemd (`WatchdogSec`) as often as it asks that this process is alive. systemd replaces a process that falls
 * silent. Its own program sends the message, because Bun has no sockets of this kind.
 */
export function feedWatchdog(isAlive: () => boolean): void {
  const { NOTIFY_SOCKET, WATCHDOG_PID, WATCHDOG_USEC } = process.env;
  // A role under `npm start` inherits these, but its supervisor is the service.
  if (!NOTIFY_SOCKET || Number(WATCHDOG_PID) !== process.pid) return;
  const everyMs = Number(WATCHDOG_USEC) / 3_000;
  setInterval(() => {
    if (isAlive()) Bun.spawn(["systemd-notify", "WATCHDOG=1"], { stdio: ["ignore", "ignore", "ignore"] });
  }, everyMs).unref();
}
