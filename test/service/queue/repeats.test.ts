import { afterAll, describe, expect, test } from "bun:test";
import { patienceMs, type QueuedCommand } from "../../../shared/queue/batch.ts";
import { useStack } from "../../harness.ts";
import { commandOf, openOwnMailbox, outcomeOf } from "../../support/signed.ts";

const { config, rest, issuer, sub } = await useStack();
const mailbox = await openOwnMailbox(config);
afterAll(() => mailbox.close());

const keyed = (key: string) => ({ "idempotency-key": key });
const daily = { name: "h", type: "good", frequency: "daily" };
const create = async (path: string, body: object) => (await rest("POST", path, { body })).body.id;

describe("a key", () => {
  test("with another request is 422; the same request in another field order is the same", async () => {
    const send = (body: object) => rest("POST", "/todos", { body, headers: keyed("other") });
    const first = await send({ title: "a", context: "b" });
    const reordered = await send({ context: "b", title: " a " });
    expect(reordered.body).toEqual(first.body);
    const other = await send({ title: "b" });
    expect([other.status, Object.keys(other.body.errors)]).toEqual([422, ["Idempotency-Key"]]);
  });

  test("keeps 404 and 409 as they were; not a 422, so that the corrected retry may use it", async () => {
    const path = `/habits/${await create("/habits", daily)}/complete`;
    await rest("POST", path);
    const again = () => rest("POST", path, { headers: keyed("conflict") });
    expect((await again()).status).toBe(409);
    await rest("DELETE", path);
    const replay = await again();
    expect([replay.status, replay.headers.get("idempotent-replayed")]).toEqual([409, "true"]);
    const corrected = (more: object) =>
      rest("POST", "/todos", { body: { title: "x", ...more }, headers: keyed("corrected") });
    expect((await corrected({ category_id: 999_999 })).status).toBe(422);
    expect((await corrected({})).status).toBe(201);
  });

  test("belongs to its user", async () => {
    const tokens = [await issuer.token(), await issuer.token({ sub: crypto.randomUUID() })];
    const send = (token: string) =>
      rest("POST", "/todos", { token, body: { title: "mine" }, headers: keyed("shared") });
    for (const token of tokens) expect((await send(token)).headers.get("idempotent-replayed")).toBeNull();
  });

  test.each(["", "x".repeat(256)])("that is empty or too long is 422: %j", async (key) => {
    expect((await rest("POST", "/todos", { body: { title: "x" }, headers: keyed(key) })).status).toBe(422);
  });
});

describe("a command that arrives after its caller has given up", () => {
  const notApplied = { refusal: { code: "overloaded", applied: "no" } };
  const userId = crypto.randomUUID();
  const creation = (title: string, sentAt = Date.now()) =>
    commandOf(userId, "todo.create", { title }, { sentAt });
  const titles = async () =>
    (await rest("GET", "/todos", { token: await issuer.token({ sub: userId }) })).body.data.map(
      ({ title }: { title: string }) => title,
    );

  test("is not run, and its answer says so", async () => {
    const late = creation("too late", Date.now() - patienceMs);
    expect(await outcomeOf(mailbox, late)).toMatchObject(notApplied);
    expect(await titles()).toEqual([]);
  });

  test("is answered as it was then if it had been run in time", async () => {
    const command = creation("in time");
    const first = await outcomeOf(mailbox, command);
    expect(await outcomeOf(mailbox, { ...command, sentAt: command.sentAt - 60_000 })).toEqual(first);
    expect(await titles()).toEqual(["in time"]);
  });

  test("neither delays nor spoils the others of its batch", async () => {
    const commands = [creation("too late again", 0), ...["a", "b", "c"].map((title) => creation(title))];
    const outcomes = await Promise.all(commands.map((command) => outcomeOf(mailbox, command)));
    expect(outcomes).toMatchObject([notApplied, ...["a", "b", "c"].map((title) => ({ body: { title } }))]);
  });
});

describe("an answer without a key stays when its job comes again", () => {
  const send = (name: QueuedCommand["name"], input: object) => commandOf(sub, name, input);

  test("and would now succeed", async () => {
    const id = await create("/habits", daily);
    const update = send("habit.update", { habit_id: id, schedule: { every_days: 2 } });
    const refused = await outcomeOf(mailbox, update);
    expect(refused).toMatchObject({ refusal: { code: "invalid" } });
    await rest("PATCH", `/habits/${id}`, { body: { frequency: "custom" } });
    expect(await outcomeOf(mailbox, update)).toEqual(refused);
    expect((await rest("GET", `/habits/${id}`)).body.schedule).toBeNull();
  });

  test("and would now be a 422", async () => {
    const category_id = await create("/categories", { name: "c" });
    const creation = send("todo.create", { title: "filed", category_id });
    const first = await outcomeOf(mailbox, creation);
    expect(first).toMatchObject({ body: { title: "filed" } });
    await rest("DELETE", `/categories/${category_id}`);
    expect(await outcomeOf(mailbox, creation)).toEqual(first);
  });
});
