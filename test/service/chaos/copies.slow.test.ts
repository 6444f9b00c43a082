import { expect, test } from "bun:test";
import { createRandom, type Random } from "../../support/chaos/random.ts";
import { pidsOf } from "../../support/chaos/roles.ts";
import { startWorld } from "../../support/chaos/world.ts";
import { writeAtRandom } from "../../support/chaos/writer-at-random.ts";
import { bringUpToDate, type Copy, expectEqual, newCopy } from "../../support/copies/copy.ts";

/** `npm run lab -- copies` has 20. */
const rounds = Number(Bun.env.ROUNDS ?? 3);
const seed = Number(Bun.env.SEED ?? 1);
const roundMs = 1_200;
const writesPerRound = 20;

/** A zone where it is about noon, so that no day ends meanwhile: streaks and overdue todos depend on the day. */
const offset = new Date().getUTCHours() - 12;
const zone = offset === 0 ? "UTC" : `Etc/GMT${offset > 0 ? "+" : ""}${offset}`;
const { call, kill } = await startWorld("copies", { DEFAULT_TIME_ZONE: zone });

const away = { status: 503, headers: new Headers(), body: undefined };
const getAt = (door: number) => (path: string) => call("GET", path, { door }).catch(() => away);

async function follow(copy: Copy, reader: number, isOver: () => boolean): Promise<void> {
  for (let turn = reader; !isOver(); turn++) {
    await bringUpToDate(getAt(turn), copy);
    await Bun.sleep(10 * reader);
  }
}

/** The other process of that role stays, so that writes continue. */
function killOne(role: "api" | "workers", random: Random): void {
  const pids = pidsOf(role);
  if (pids.length > 1) process.kill(random.pick(pids), "SIGKILL");
}

test(
  "under 8 writers and kills of doors and workers, the copies of 4 readers end as what is stored",
  async () => {
    const copies = Array.from({ length: 4 }, newCopy);
    const random = createRandom(seed, "kills");
    let written = 0;
    for (let round = 1; round <= rounds; round++) {
      let over = false;
      const writers = Array.from({ length: 8 }, (_, writer) =>
        writeAtRandom(
          call,
          createRandom(seed * 1_000 + round, `writer ${writer}`),
          () => over,
          () => {
            written += 1;
          },
        ),
      );
      const readers = copies.map((copy, reader) => follow(copy, reader, () => over));
      await Bun.sleep(random.between(100, roundMs / 2));
      killOne("workers", random);
      await Bun.sleep(roundMs / 2);
      killOne(random.chance(0.5) ? "workers" : "api", random);
      await Bun.sleep(roundMs / 2);
      // On a busy machine killed processes come back late.
      for (let looks = 0; written < writesPerRound * round && looks < 200; looks++) await Bun.sleep(50);
      over = true;
      await Promise.all([...writers, ...readers]);
      await expectEqual(getAt(round), ...copies);
    }
    expect(written).toBeGreaterThanOrEqual(writesPerRound * rounds);
    expect(copies.map(({ timesBegun }) => timesBegun)).toEqual([1, 1, 1, 1]);
  },
  30_000 + rounds * 25_000,
);

test("a crash of PostgreSQL, which may give numbers out again, makes copies begin anew", async () => {
  const copy = newCopy();
  await bringUpToDate(getAt(0), copy);
  await kill("postgres");
  const answers = async () => (await getAt(0)(`/changes?cursor=${copy.cursor}`)).status;
  for (let looks = 0; looks < 100 && (await answers()) !== 422; looks++) await Bun.sleep(100);
  expect(await answers()).toBe(422);
  await expectEqual(getAt(1), copy);
  expect(copy.timesBegun).toBe(2);
}, 40_000);
