import type { WorkerContext } from "./context.ts";

type Task = Readonly<{
  name: string;
  everyMs: number;
  /** How long a run may take until it counts as one that hangs. */
  withinMs?: number;
  run(): Promise<unknown>;
}>;

/**
 * Runs a task every `everyMs` in this process, never twice at once; locks in PostgreSQL keep several processes apart.
 * The timer counts elapsed time in this process, so it needs neither Redis nor a correct clock.
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
      // Logged once, because every run fails while a server is away.
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
