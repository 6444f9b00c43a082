import { expect, test } from "bun:test";
import { useStack } from "../../harness.ts";
import { openOwnMailbox } from "../../support/signed.ts";

const { config, rest, issuer } = await useStack();
const keyed = (key: string) => ({ "idempotency-key": key });

test("50 parallel posts with one key make one todo and 50 equal answers", async () => {
  const token = await issuer.token({ sub: "parallel" });
  const post = () => rest("POST", "/todos", { token, body: { title: "once" }, headers: keyed("parallel") });
  const answers = await Promise.all(Array.from({ length: 50 }, post));
  expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1);
  expect(answers[0]?.status).toBe(201);
  expect(answers.filter(({ headers }) => headers.get("idempotent-replayed") === "true")).toHaveLength(49);
  expect((await rest("GET", "/todos", { token })).body.meta.total).toBe(1);
});

test("the same key with another request is 422; the same request in another field order is the same", async () => {
  const send = (body: object) => rest("POST", "/todos", { body, headers: keyed("other") });
  const first = await send({ title: "a", context: "b" });
  const reordered = await send({ context: "b", title: " a " });
  expect(reordered.body).toEqual(first.body);
  const other = await send({ title: "b" });
  expect([other.status, Object.keys(other.body.errors)]).toEqual([422, ["Idempotency-Key"]]);
});

test("404 and 409 are kept as they were; a 422 is not, so that the corrected retry may use its key", async () => {
  const { id } = (await rest("POST", "/habits", { body: { name: "h", type: "good", frequency: "daily" } }))
    .body;
  await rest("POST", `/habits/${id}/complete`);
  const again = () => rest("POST", `/habits/${id}/complete`, { headers: keyed("conflict") });
  expect((await again()).status).toBe(409);
  await rest("DELETE", `/habits/${id}/complete`);
  const replay = await again();
  expect([replay.status, replay.headers.get("idempotent-replayed")]).toEqual([409, "true"]);
  const corrected = (category_id?: number) =>
    rest("POST", "/todos", {
      body: { title: "x", ...(category_id && { category_id }) },
      headers: keyed("corrected"),
    });
  expect((await corrected(999_999)).status).toBe(422);
  expect((await corrected()).status).toBe(201);
});

test("a key belongs to its user", async () => {
  const other = await issuer.token({ sub: "someone-else" });
  const send = (token: string) =>
    rest("POST", "/todos", { token, body: { title: "mine" }, headers: keyed("shared") });
  const answers = [await send(await issuer.token()), await send(other)];
  expect(answers.map(({ headers }) => headers.get("idempotent-replayed"))).toEqual([null, null]);
});

test("an empty or overlong key is 422", async () => {
  for (const key of ["", "x".repeat(256)]) {
    expect((await rest("POST", "/todos", { body: { title: "x" }, headers: keyed(key) })).status).toBe(422);
  }
});

test("200 parallel completes give one 200; 501 parallel toggles end on the right parity", async () => {
  const { id } = (await rest("POST", "/habits", { body: { name: "h", type: "good", frequency: "daily" } }))
    .body;
  const completes = await Promise.all(
    Array.from({ length: 200 }, () => rest("POST", `/habits/${id}/complete`)),
  );
  const statuses = completes.map(({ status }) => status).sort();
  expect(statuses).toEqual([200, ...Array(199).fill(409)]);
  const todo = (await rest("POST", "/todos", { body: { title: "x" } })).body.id;
  const toggles = await Promise.all(Array.from({ length: 501 }, () => rest("POST", `/todos/${todo}/toggle`)));
  expect(toggles.every(({ status }) => status === 200)).toBe(true);
  expect((await rest("GET", `/todos/${todo}`)).body.is_completed).toBe(true);
});

test("commands without a key whose job comes a second time, alone or together, have no second effect", async () => {
  const token = await issuer.token({ sub: "again" });
  const own = (await rest("POST", "/todos", { token, body: { title: "own" } })).body.id;
  const commandOf = (name: "todo.create" | "todo.toggle", input: object) => ({
    id: Bun.randomUUIDv7(),
    userId: "again",
    name,
    input,
    fingerprint: null,
    acceptedAt: Date.now(),
    sentAt: Date.now(),
  });
  const commands = [
    ...["a", "b", "c"].map((title) => commandOf("todo.create", { title })),
    commandOf("todo.toggle", { todo_id: own }),
  ];
  const mailbox = await openOwnMailbox(config);
  const outcomesOf = async (some: typeof commands) => {
    const replies = await Promise.all(
      some.map((command) => mailbox.send({ ...command, sentAt: Date.now() })),
    );
    return replies.map((reply) => (typeof reply === "object" ? reply.outcome : reply));
  };
  const first = await outcomesOf(commands);
  const again = await outcomesOf(commands);
  const alone = [];
  for (const command of commands) alone.push(...(await outcomesOf([command])));
  await mailbox.close();
  expect(first[0]).toMatchObject({ body: { title: "a" } });
  expect(again).toEqual(first);
  expect(alone).toEqual(first);
  expect((await rest("GET", "/todos?status=all", { token })).body.meta.total).toBe(4);
  expect((await rest("GET", `/todos/${own}`, { token })).body.is_completed).toBe(true);
});
