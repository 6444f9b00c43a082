import { Counter, Histogram, type Registry } from "prom-client";
import { isTest } from "./lease.ts";
import { type DeliveryAttempt, deliveryResult } from "./results.ts";

/** Counts the reminders that one worker process sends. */
export type ReminderMetrics = Readonly<{
  /** @param tookSeconds since the delivery was taken up */
  attempted(attempt: DeliveryAttempt, tookSeconds: number): void;
}>;

export function createReminderMetrics(registry: Registry): ReminderMetrics {
  const registers = [registry];
  const lateness = new Histogram({
    name: "kept_reminder_lateness_seconds",
    help: "Time from when a reminder was due to when its channel had taken it",
    labelNames: ["channel"],
    buckets: [1, 2, 5, 10, 30, 60, 300, 1_800, 3_600, 21_600, 86_400],
    registers,
  });
  const attempts = new Counter({
    name: "kept_reminder_attempts_total",
    help: "Attempts to send a reminder, by how they ended",
    labelNames: ["channel", "outcome"],
    registers,
  });
  return {
    attempted(attempt, tookSeconds) {
      const { channel, overdue_seconds } = attempt.delivery;
      // A person tests a webhook because it may fail.
      if (isTest(attempt.delivery)) return;
      const { status: outcome } = deliveryResult(attempt);
      attempts.inc({ channel, outcome });
      if (outcome === "sent" || outcome === "unsent")
        lateness.observe({ channel }, Math.max(0, overdue_seconds + tookSeconds));
    },
  };
}
