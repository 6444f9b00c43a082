import { loadConfig } from "../../../../shared/process/config.ts";
import { type AskedTodo, askUntil, mustAsk, wrongIn } from "../../../support/chaos/asking.ts";
import { createRandom } from "../../../support/chaos/random.ts";
import { callDoors } from "../../../support/chaos/world.ts";
import { openPageDoor } from "../../../support/page-door.ts";
import type { Violation } from "../evidence.ts";
import type { World } from "../world.ts";

const agents = 3;

/** Agents that must ask for every change, and the person who decides as the account pages send it. */
export async function startApprovals(world: World, seed: number) {
  const { sql, doors, gates } = world;
  const config = loadConfig({
    ...{ DATABASE_URL: gates["door-0 to postgres"].url, REDIS_URL: gates["door-0 to redis"].url },
    ...{ BASE_URL: doors[0] ?? "", AUTH_URL: doors[0] ?? "", LOG_LEVEL: "silent" },
  });
  const page = await openPageDoor({ config, clock: { now: undefined } });
  const [token = ""] = await world.tokens(1);
  const call = callDoors(doors, token);
  const random = createRandom(seed, "approvals");
  const userId = await mustAsk({ call, page, sql });
  const chance = () => random.between(0, 999) / 1_000;
  const asked: AskedTodo[] = [];
  let isOver = false;
  const asking = Array.from({ length: agents }, () =>
    askUntil({ call, page, sql, userId, chance }, asked, () => isOver),
  );
  return {
    /** Waits for the last decisions. */
    async end(): Promise<void> {
      isOver = true;
      await Promise.all(asking);
      await page.close();
    },
    async check(): Promise<Violation[]> {
      const wrong = asked.length > 0 ? await wrongIn(sql, asked) : ["Nobody could ask for anything."];
      return wrong.map((sentence) => ({ kind: "approval", sentence }));
    },
  };
}
