import { expect, test } from "bun:test";
import { longText } from "../../support/long-text.ts";
import { useUndoDoor, whole } from "../../support/undo-door.ts";

const { page, someone } = await useUndoDoor();

const storedBytes = async (sub: string): Promise<number> => {
  const { rows } = await page.pool.query(
    `select (select sum(octet_length(reply)) from inbox where user_id = $1)
       + (select sum(octet_length(before) + octet_length(after)) from action_images where user_id = $1) as bytes`,
    [sub],
  );
  return Number(rows[0].bytes);
};

test("a text that one call gives to 25 todos is stored once in each place, is replayed to the byte and taken back", async () => {
  const { agent, sub, rest, world, changes, undo } = await someone();
  const todo_ids: number[] = [];
  for (let n = 0; n < 25; n++) todo_ids.push((await rest("POST", "/todos", { title: `Todo ${n}` })).body.id);
  const change = (text: string) => ({ todo_ids, description: text, idempotency_key: crypto.randomUUID() });
  await agent.call("update-todo", change(longText(5_000)));
  const [before, stored, second] = [await world(), await storedBytes(sub), change(longText(5_000))];
  const first = await agent.call("update-todo", second);
  expect(first.facts.done).toBe(25);
  expect((await storedBytes(sub)) - stored).toBeLessThan(5 * 20_000);
  const again = await agent.call("update-todo", second);
  const { now: _, ...same } = first.facts;
  expect(JSON.stringify(again.facts)).toBe(JSON.stringify({ ...same, replayed: true }));
  expect(again.text).toContain(first.text.split("\n").at(-1) ?? "");
  const [newest] = await changes();
  expect(await undo(newest ? [newest] : [])).toEqual(whole(1));
  expect(await world()).toEqual(before);
});
