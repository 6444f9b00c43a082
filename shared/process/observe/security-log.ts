import { Counter, type Registry } from "prom-client";
import { type EventName, events } from "../../domain/journal/events.ts";
import type { Log } from "./log.ts";

type SecurityEvent = Readonly<{
  kind: EventName;
  /** Undefined if it belongs to no known account. */
  user?: string | undefined;
  network?: string | undefined;
  times?: number;
  /** True for a sum of events that the metric has counted one by one. */
  isSum?: boolean;
}>;

/** Counts an event of an account for operators, and writes a line about it. */
export type SecurityLog = (event: SecurityEvent) => void;

const minuteMs = 60_000;
/** The lines of a kind in a minute, so that nobody can fill the log. The metric counts all. */
const mostLines = 600;

/** The lines have the kind's name in OWASP's logging vocabulary, and neither names nor secrets. */
export function createSecurityLog(log: Log, registry: Registry): SecurityLog {
  const counter = new Counter({
    name: "kept_security_events_total",
    help: "Events of accounts, by their kind in the account journal",
    labelNames: ["kind"],
    registers: [registry],
  });
  let [minute, lines] = [0, new Map<EventName, number>()];
  return ({ kind, user, network, times = 1, isSum = false }) => {
    if (!isSum) counter.inc({ kind }, times);
    // A line for each minute of reads would say less than the sum of the day.
    if (!isSum && events[kind].most === 0) return;
    const now = Math.floor(performance.now() / minuteMs);
    if (now !== minute) [minute, lines] = [now, new Map()];
    const written = (lines.get(kind) ?? 0) + 1;
    lines.set(kind, written);
    if (written > mostLines) return;
    log.info(
      { event: events[kind].logs, kind, user, network, ...(times > 1 && { times }) },
      "security event",
    );
  };
}
