import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { useStack } from "../../harness.ts";
import { creationOf, openOwnMailbox, outcomesOf } from "../../support/signed.ts";

const { config } = await useStack();
const mailbox = await openOwnMailbox(config);
afterAll(() => mailbox.close());

test("a command that PostgreSQL refuses does not spoil the others of its batch", async () => {
  const sql = new SQL(config.databaseUrl, { max: 1 });
  await sql.unsafe(`
    create function refuse_poison() returns trigger language plpgsql as $$
    begin
      if new.title like 'poison%' then raise exception 'poison'; end if;
      return new;
    end $$`);
  await sql.unsafe(
    "create trigger poison before insert on todos for each row execute function refuse_poison()",
  );
  const titles = Array.from({ length: 40 }, (_, index) =>
    index % 13 === 7 ? `poison ${index}` : `t${index}`,
  );
  const outcomes = await outcomesOf(mailbox, titles.map(creationOf));
  for (const [index, outcome] of outcomes.entries())
    expect(outcome).toMatchObject(
      titles[index]?.startsWith("poison")
        ? { refusal: { code: "internal", applied: "no" } }
        : { body: { title: titles[index] } },
    );
  const [{ count }] = await sql`select count(*)::int from todos where title like 't%'`;
  expect(count).toBe(37);
  await sql.close();
});
