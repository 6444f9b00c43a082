import type { Fault } from "./schedule.ts";
import { signal, type World } from "./world.ts";

/** A disturbance with its begin and end (epoch ms). */
export type Inflicted = Readonly<{ fault: Fault; from: number; to: number }>;

/** Disturbs the world by one fault for its duration. */
export async function inflict(world: World, fault: Fault): Promise<Inflicted> {
  const from = Date.now();
  const undo = apply(world, fault);
  await Bun.sleep(fault.ms);
  undo();
  return { fault, from, to: Date.now() };
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
