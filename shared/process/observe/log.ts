import pino, { type Logger } from "pino";

export type Log = Logger;

/** Creates a JSON logger for one role. Fields that could hold a secret are removed by their names. */
export function createLog(role: string, level: string): Log {
  return pino({
    base: { role },
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: ["authorization", "token", "password", "secret"].flatMap((name) => [name, `*.${name}`]),
      remove: true,
    },
  });
}

const everyMs = 60_000;

/** Passes on at most one call a minute, so that a line for each request cannot fill a log. */
export function throttled<Args extends unknown[]>(act: (...args: Args) => void): (...args: Args) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (...args) => {
    if (performance.now() - last < everyMs) return;
    last = performance.now();
    act(...args);
  };
}
