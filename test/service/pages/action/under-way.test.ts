import { expect, test } from "bun:test";
import { SQL } from "bun";
import { useStack } from "../../../harness.ts";
import { newPlainPerson, textOf } from "../../../support/pages/plain.ts";
import { eventually } from "../../../support/reminder/stack.ts";

const stack = await useStack();

test("the settings page shows how far long work of its person is, and nobody else's", async () => {
  const { account, sub, rest } = await newPlainPerson(stack);
  await rest("POST", "/categories", { name: "Home" });
  const stranger = crypto.randomUUID();
  await using sql = new SQL(stack.config.databaseUrl, { max: 2 });
  const begin = (owner: string, name: string, done: number) => sql`
    insert into works (user_id, id, name, input, cursor, done, total, created_at)
    values (${owner}, ${crypto.randomUUID()}, ${name}, '{}', '12000', ${done}, 50000, now())`;
  await sql.begin(async (holder) => {
    // No worker has the turn of this user.
    for (const owner of [sub, stranger])
      await holder`select pg_advisory_xact_lock(hashtextextended('works ' || ${owner}, 0))`;
    await begin(sub, "user.configure", 12_000);
    await begin(stranger, "category.delete", 7);
    const text = textOf(await account.open("/account/settings"));
    expect(text).toContain("Your reminders are moving to your time zone: 12,000 of 50,000 are done.");
    expect(text).not.toContain("A deleted category");
  });
  await eventually(async () => {
    const left = await sql`select from works where user_id in (${sub}, ${stranger}) and ended_at is null`;
    return left.length === 0;
  });
  expect(textOf(await account.open("/account/settings"))).not.toContain("50,000");
});
