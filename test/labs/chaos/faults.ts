import type { Fault } from "./schedule.ts";
import { signal, type World } from "./world/world.ts";

/** A disturbance with its begin and end (epoch ms). */
export type Inflicted = Readonly<{ fault: Fault; from: number; to: number }>;

/** Disturbs the world by one fault for its duration. */
export async function inflict(world: World, fault: Fault): Promise<Inflicted> {
  const from = Date.now();
  const undo = apply(world, fault);
  await Bun.sleep(fault.ms);
  if (fault.kind === "clock" && fault.on === "postgres") await demandStep(world, fault.seconds);
  undo();
  return { fault, from, to: Date.now() };
}

/** A run whose clock steps do nothing must not pass. A server that is just coming back is not asked. */
export async function demandStep({ sql }: Pick<World, "sql">, seconds: number): Promise<void> {
  for (let looks = 1; ; looks++) {
    const rows = await sql`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`.catch(() => []);
    const offMs = rows.length > 0 ? rows[0].ms - Date.now() : seconds * 1_000;
    if (Math.abs(offMs - seconds * 1_000) < 1_000) return;
    if (looks === 30)
      throw new Error(`PostgreSQL's clock was to be ${seconds} s off, and is ${offMs / 1_000} s off.`);
    await Bun.sleep(100);
  }
}

/** @returns a function that ends the disturbance */
function apply({ gates, clocks, pidsOf }: World, fault: Fault): () => void {
  switch (fault.kind) {
    case "kill": {
      const [first] = pidsOf(fault.on);
      if (first !== undefined) signal(first, "SIGKILL");
      return () => {};
    }
    case "freeze": {
      const pids = pidsOf(fault.on);
      for (const pid of pids) signal(pid, "SIGSTOP");
      return () => {
        for (const pid of pids) signal(pid, "SIGCONT");
      };
    }
    case "cut":
      gates[fault.on].cut();
      return () => {};
    case "silence":
      gates[fault.on].silence();
      return () => {};
    case "shut":
      gates[fault.on].shut();
      return () => gates[fault.on].open();
    case "slow":
      gates[fault.on].delay(150);
      return () => gates[fault.on].delay(0);
    case "clock":
      clocks.set(fault.on, fault.seconds);
      return () => clocks.set(fault.on, 0);
  }
}
