import { expect, test } from "bun:test";
import { startStack } from "../../harness.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { storeTodos } from "../../support/todos.ts";

const stack = await startStack({ env: { LOG_LEVEL: "silent" } });
const { config, rest, sql } = stack;
const page = await stack.page();

/** PostgreSQL takes its time for the first thousand todos of a category, and refuses to change the others. */
async function categoryThatStays(): Promise<number> {
  const { id } = (await rest("POST", "/categories", { body: { name: "Large" } })).body;
  await storeTodos(config.databaseUrl, "ada", 1_200, { id: "n", category_id: String(id) });
  await sql.unsafe(`
    create function hold() returns trigger language plpgsql as $$
    begin
      if new.id = 1 then perform pg_sleep(0.06); end if;
      if new.id = 1200 then raise exception 'held'; end if;
      return new;
    end $$;
    create trigger hold before update on todos for each row execute function hold()`);
  return id;
}

test("a step that fails five times ends its work as internal, and what was done before stays", async () => {
  await page.send("ada", "category.delete", { category_id: await categoryThatStays() });
  const work = await eventually(async () => {
    const [row] = await sql`select done, tries, outcome from works where ended_at is not null`;
    return row;
  });
  expect([work.done, work.tries, JSON.parse(work.outcome).refusal.code]).toEqual([1_000, 5, "internal"]);
  const [{ left }] = await sql`select count(*)::int as left from todos where category_id is not null`;
  expect(left).toBe(200);
});
