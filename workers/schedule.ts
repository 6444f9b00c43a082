import type { Log } from "../shared/process/log.ts";

type Task = Readonly<{ name: string; everyMs: number; run(): Promise<unknown> }>;

/**
 * Runs a task every `everyMs` in this process, never twice at once; locks in PostgreSQL keep several processes apart.
 * The timer counts elapsed time in this process, so it needs neither Redis nor a correct clock.
 */
export function startSchedule(log: Log, { name, everyMs, run }: Task): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  let failing = false;
  const turn = async () => {
    try {
      await run();
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
