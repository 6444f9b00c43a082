import type { WorkerContext } from "./context.ts";

type Task = Readonly<{
  name: string;
  everyMs: number;
  /** Milliseconds after which a run counts as hanging. */
  withinMs?: number;
  run(): Promise<unknown>;
}>;

/**
 * Runs a task every `everyMs` in this process, never twice at once; locks in PostgreSQL separate processes. The timer
 * counts elapsed time, so it needs neither Redis nor a correct clock.
 */
export function startSchedule(
  { log, watch }: Pick<WorkerContext, "log" | "watch">,
  { name, everyMs, withinMs, run }: Task,
): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  let failing = false;
  const turn = async () => {
    try {
      await watch.during(name, run, withinMs);
      failing = false;
    } catch (error) {
      // The failure is logged once, because every run fails during an outage.
      if (!failing) log.warn({ schedule: name, reason: String(error) }, "run failed");
      failing = true;
    }
    running = undefined;
  };
  const timer = setInterval(() => {
    running ??= turn();
  }, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
