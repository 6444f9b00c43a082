import pino, { type Logger } from "pino";

export type Log = Logger;

/** Creates a JSON logger for one role. Fields that could hold a secret are removed by their names. */
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
