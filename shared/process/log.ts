import pino, { type Logger } from "pino";

export type Log = Logger;

/** A JSON logger for one role. Anything that could carry a secret is removed by name before it is written. */
export function createLog(role: string, level: string): Log {
  return pino({
    base: { role },
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: [
        "authorization",
        "token",
        "password",
        "secret",
        "*.authorization",
        "*.token",
        "*.password",
        "*.secret",
      ],
      remove: true,
    },
  });
}
