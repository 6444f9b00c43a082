import type { Log } from "../shared/process/log.ts";

type Task = Readonly<{ name: string; everyMs: number; run(): Promise<unknown> }>;

/**
 * Runs a task every so often in this process, never twice at once. PostgreSQL keeps several processes apart.
 * The timer is the process's own and counts elapsed time: it needs neither Redis nor the right clock.
 */
export function startSchedule(log: Log, { name, everyMs, run }: Task): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  let failing = false;
  const turn = async () => {
    try {
      await run();
      failing = false;
    } catch (error) {
      // Said once: while a server is away, every turn fails.
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
