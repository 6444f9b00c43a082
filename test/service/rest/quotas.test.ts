import { expect, test } from "bun:test";
import { useStack } from "../../harness.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { storeTodos } from "../../support/todos.ts";

const { config, rest, issuer } = await useStack();

test("a user with 50,000 todos gets no more until one is deleted, and nobody else notices", async () => {
  await storeTodos(config.databaseUrl, "hoarder", 49_999);
  const [token, other] = [await issuer.token({ sub: "hoarder" }), await issuer.token({ sub: "other" })];
  const create = (token: string) => rest("POST", "/todos", { token, body: { title: "one more" } });
  const last = await create(token);
  expect(last.status).toBe(201);
  const refused = await create(token);
  expect([refused.status, refused.body.message]).toEqual([
    422,
    "You have 50,000 todos, the most that one account can have; delete some first.",
  ]);
  expect((await create(other)).status).toBe(201);
  await rest("DELETE", `/todos/${last.body.id}`, { token });
  // The room is counted anew within a second.
  await eventually(async () => (await create(token)).status === 201);
});

test("completing a recurring todo needs the room of its successor", async () => {
  const daily = { due_date: "date '2026-11-20'", recurrence: "'FREQ=DAILY'" };
  await storeTodos(config.databaseUrl, "recurring", 50_000, daily);
  const token = await issuer.token({ sub: "recurring" });
  const toggled = await rest("POST", "/todos/1000001/toggle", { token });
  expect(toggled.status).toBe(422);
  expect((await rest("GET", "/todos/1000001", { token })).body.is_completed).toBe(false);
});

test("ids grow in the order of creation, also over two workers", async () => {
  const token = await issuer.token({ sub: "orderly" });
  const ids: number[] = [];
  for (let turn = 0; turn < 30; turn++)
    ids.push((await rest("POST", "/categories", { token, body: { name: `c${turn}` } })).body.id);
  expect(ids).toEqual(ids.toSorted((one, other) => one - other));
});
