import { afterAll, expect, test } from "bun:test";
import { startWorld } from "../../support/chaos/world.ts";
import { openOwnMailbox } from "../../support/signed.ts";

const { sql, databaseUrl, redisUrl, call, kill } = await startWorld("crash");
const mailbox = await openOwnMailbox({ databaseUrl, redisUrl, queuePrefix: "kept" });
afterAll(() => mailbox.close());

const commandOf = (title: string) => ({
  id: Bun.randomUUIDv7(),
  userId: "ada",
  name: "todo.create" as const,
  input: { title },
  fingerprint: null,
  acceptedAt: Date.now(),
  sentAt: Date.now(),
});

async function outcomeOf(command: ReturnType<typeof commandOf>) {
  const delivery = await mailbox.send(command);
  return typeof delivery === "object" ? delivery.outcome : delivery;
}

async function titles(): Promise<string[]> {
  const rows: { title: string }[] = await sql`select title from todos order by id`;
  return rows.map(({ title }) => title);
}
const maybeApplied = { refusal: { code: "overloaded", applied: "unknown" } };

/** Replies without a key are in unlogged tables, which PostgreSQL empties when it starts after a crash. */
async function crash(): Promise<void> {
  await kill("postgres");
  for (let looks = 0; looks < 600; looks++) {
    const rows = await sql`select 1 from inbox`.catch(() => undefined);
    if (rows?.length === 0) return;
    await Bun.sleep(50);
  }
  throw new Error("PostgreSQL is not back, or has kept the replies.");
}

test("a command whose reply was lost in a crash is not run again, and never told as not applied", async () => {
  const before = commandOf("before the crash");
  expect(await outcomeOf(before)).toMatchObject({ body: { title: "before the crash" } });
  await crash();
  expect(await outcomeOf(before)).toMatchObject(maybeApplied);
  expect(await outcomeOf({ ...before, sentAt: Date.now() - 60_000 })).toMatchObject(maybeApplied);
  expect(await titles()).toEqual(["before the crash"]);
}, 60_000);

test("a clock that was ahead at the crash and is set back costs one batch", async () => {
  await sql`update keyless_replies set complete_since = now() + interval '1 hour'`;
  const title = "after the clock was set back";
  expect(await outcomeOf(commandOf("while it is noticed"))).toMatchObject(maybeApplied);
  expect(await outcomeOf(commandOf(title))).toMatchObject({ body: { title } });
  expect((await titles()).at(-1)).toBe(title);
}, 20_000);

test("from the first command after a crash on, all is as before", async () => {
  await crash();
  const answered = async () => (await call("POST", "/categories", { body: { name: "c" } })).status === 201;
  for (let tries = 0; tries < 5 && !(await answered()); tries++) await Bun.sleep(100);
  const after = commandOf("after the crash");
  const first = await outcomeOf(after);
  expect(first).toMatchObject({ body: { title: "after the crash" } });
  expect(await outcomeOf(after)).toEqual(first);
  expect((await titles()).filter((title) => title === "after the crash")).toHaveLength(1);
}, 20_000);
