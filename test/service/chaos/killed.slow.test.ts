import { expect, test } from "bun:test";
import { RedisClient } from "bun";
import { startWorld, type Victim } from "../../support/chaos/world.ts";
import { type Written, writeUntil } from "../../support/chaos/writer.ts";

const { sql, redisUrl, call, kill } = await startWorld("killed");

const writers = 8;

/**
 * Writes while `disturb` runs and a moment longer.
 * @returns the answers that each writer got
 */
async function writeDuring(disturb: () => Promise<void>): Promise<Written[]> {
  let over = false;
  const writing = Array.from({ length: writers }, (_, writer) => writeUntil(call, writer, () => over));
  await disturb();
  await Bun.sleep(500);
  over = true;
  return Promise.all(writing);
}

/** Every acknowledged write has had its effect, once; there are no effects of other writes. */
async function expectExactlyOnce(written: readonly Written[]): Promise<void> {
  expect(written.flatMap(({ wrong }) => wrong)).toEqual([]);
  const acknowledged = written.flatMap(({ created }) => created);
  const rows: { title: string }[] = await sql`select title from todos where title not like 'own of writer %'`;
  expect(rows.map(({ title }) => title).sort()).toEqual(acknowledged.toSorted());
  for (const { ownTodo, toggled } of written) {
    expect(toggled).toEqual(toggled.map((_, index) => index % 2 === 0));
    const [row] = await sql`select is_completed from todos where id = ${ownTodo}`;
    expect(row.is_completed).toBe(toggled.length % 2 === 1);
  }
  await sql`truncate todos cascade`;
  await sql`truncate inbox`;
}

test("kill -9 of any part, each in turn and twice, loses and doubles no acknowledged write", async () => {
  const written = await writeDuring(async () => {
    const victims: Victim[] = ["workers", "api", "redis", "postgres"];
    for (const victim of [...victims, ...victims]) {
      await Bun.sleep(600);
      await kill(victim);
    }
    await Bun.sleep(600);
    for (const victim of victims) await kill(victim);
  });
  expect(written.reduce((sum, { retries }) => sum + retries, 0)).toBeGreaterThan(0);
  await expectExactlyOnce(written);
}, 60_000);

test("FLUSHALL at any moment loses and doubles no acknowledged write", async () => {
  const redis = new RedisClient(redisUrl);
  const written = await writeDuring(async () => {
    for (let times = 0; times < 5; times++) {
      await Bun.sleep(200 + 50 * times);
      await redis.send("FLUSHALL", []);
    }
  });
  redis.close();
  await expectExactlyOnce(written);
}, 60_000);
