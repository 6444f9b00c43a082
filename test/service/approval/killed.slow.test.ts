import { afterAll, expect, test } from "bun:test";
import { loadConfig } from "../../../shared/process/config.ts";
import { type AskedTodo, askUntil, mustAsk, wrongIn } from "../../support/chaos/asking.ts";
import { startWorld, type Victim } from "../../support/chaos/world.ts";
import { openPageDoor } from "../../support/page-door.ts";
import { eventually } from "../../support/reminder/stack.ts";

// Registered before the world's own, so that it runs first.
afterAll(() => page.close());
const { sql, databaseUrl, redisUrl, call, kill } = await startWorld("approval", { QUEUE_PREFIX: "approval" });
const config = loadConfig({
  ...{ DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, QUEUE_PREFIX: "approval" },
  ...{ BASE_URL: "http://127.0.0.1:1", AUTH_URL: "http://127.0.0.1:1" },
});
const page = await openPageDoor({ config, clock: { now: undefined } });

/** The number of requests with the rarest decision. */
const fewest = (asked: readonly AskedTodo[]): number =>
  Math.min(
    ...["approved", "declined", "expired"].map(
      (one) => asked.filter(({ decision }) => decision === one).length,
    ),
  );

test("through kill -9 of any part each approved change happens once, and each declined or expired one never", async () => {
  const userId = await mustAsk({ call, page, sql });
  const asked: AskedTodo[] = [];
  let isOver = false;
  const agents = Array.from({ length: 6 }, () =>
    askUntil({ call, page, sql, userId, chance: Math.random }, asked, () => isOver),
  );
  const victims: Victim[] = ["workers", "api", "redis", "postgres"];
  for (const victim of [...victims, ...victims, "workers" as const, "workers" as const]) {
    await Bun.sleep(700);
    await kill(victim);
  }
  await eventually(() => fewest(asked) > 5, 30_000);
  isOver = true;
  await Promise.all(agents);
  expect(await wrongIn(sql, asked)).toEqual([]);
}, 90_000);
