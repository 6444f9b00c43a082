import { afterAll, expect, test } from "bun:test";
import { Client } from "pg";
import { useStack } from "../../harness.ts";
import { apply, expectEqual, newCopy } from "../../support/copies/copy.ts";
import { followChanges } from "../../support/copies/followed.ts";
import { create } from "../../support/groups.ts";
import { newcomer } from "../../support/mcp.ts";
import { eventually } from "../../support/reminder/stack.ts";

const stack = await useStack();
const { config, rest, issuer, sub } = stack;
const opened: { close(): void }[] = [];
afterAll(() => {
  for (const stream of opened) stream.close();
});

const tokenOf = (name: string, more = {}) => issuer.token({ sub: `${sub} ${name}`, ...more });
const as = async (name: string) => {
  const { token, rest: send } = await newcomer(stack, { sub: `${sub} ${name}` });
  return {
    token,
    send,
    get: (path: string) => send("GET", path),
    async follow(lastEventId?: string) {
      const stream = await followChanges(config.baseUrl, token, lastEventId);
      opened.push(stream);
      return stream;
    },
  };
};

const titles = (events: readonly { page: { data: { resource: { title?: string } | null }[] } }[]) =>
  events.flatMap(({ page }) => page.data.map(({ resource }) => resource?.title));

test("a stream begins with everything, goes on with each change of its user alone, and resumes behind an event", async () => {
  const [ada, eve] = [await as("ada"), await as("eve")];
  const id = (await ada.send("POST", "/todos", { title: "First" })).body.id;
  const [mine, theirs] = [await ada.follow(), await eve.follow()];
  expect(mine.headers.get("content-type")).toBe("text/event-stream");
  await mine.until((events) => titles(events).includes("First"));
  await ada.send("POST", "/todos", { title: "Second" });
  await mine.until((events) => titles(events).includes("Second"));
  await ada.send("DELETE", `/todos/${id}`);
  await mine.until((events) => titles(events).includes(undefined));
  expect(titles(mine.events)).toEqual(["First", "Second", undefined]);
  expect(theirs.events).toEqual([]);

  const later = await ada.follow(mine.events[0]?.id);
  await later.until((events) => titles(events).length === 2);
  expect(titles(later.events)).toEqual(["Second", undefined]);
});

test("a copy that the stream alone keeps equals what is stored, however large its pages are", async () => {
  const bea = await as("bea");
  const operations = (n: number) =>
    Array.from({ length: 50 }, (_, one) => create(`Todo ${n} ${one}`, { description: "x".repeat(4_000) }));
  for (let n = 0; n < 6; n++) await bea.send("POST", "/batch", { operations: operations(n) });
  const copy = newCopy();
  const stream = await followChanges(config.baseUrl, bea.token, undefined, (event) => apply(copy, event));
  opened.push(stream);
  await bea.send("POST", "/todos", { title: "The last" });
  await stream.until((events) => titles(events).includes("The last"));
  await expectEqual(bea.get, copy);
  expect(Math.max(...stream.events.map(({ page }) => page.data.length))).toBeLessThanOrEqual(20);
});

test("a change is streamed once, when no older transaction is under way", async () => {
  const cleo = await as("cleo");
  const stream = await cleo.follow();
  const other = new Client({ connectionString: config.databaseUrl });
  afterAll(() => other.end());
  await other.connect();
  await other.query("begin");
  await other.query("select pg_current_xact_id()");
  await cleo.send("POST", "/todos", { title: "Soon" });
  const asked = cleo.get("/changes?wait=1");
  expect(titles([{ page: (await asked).body }])).toEqual(["Soon"]);
  expect(stream.events).toEqual([]);
  await other.query("commit");
  await stream.until((events) => titles(events).includes("Soon"));
  await cleo.send("POST", "/todos", { title: "Later" });
  await stream.until((events) => titles(events).includes("Later"));
  expect(titles(stream.events)).toEqual(["Soon", "Later"]);
});

test("a question with wait is answered at once when there is something, else with the first change or when time is over", async () => {
  const dora = await as("dora");
  const begun = (await dora.get("/changes")).body.next_cursor;
  const none = await dora.get(`/changes?cursor=${begun}&wait=1`);
  expect([none.status, none.body.data]).toEqual([200, []]);
  const asked = dora.get(`/changes?cursor=${begun}&wait=30`);
  await dora.send("POST", "/todos", { title: "Now" });
  expect(titles([{ page: (await asked).body }])).toEqual(["Now"]);
  expect((await dora.get("/changes?wait=30")).body.data.length).toBe(1);
  expect((await dora.get("/changes?wait=31")).status).toBe(422);
});

test("waiting clients have a bound for each token and account, end nobody's stream, and hold no connection of the database", async () => {
  const [fay, gus] = [await as("fay"), await as("gus")];
  const streams = [];
  for (let n = 0; n < 6; n++) streams.push(await fay.follow());
  expect((await fay.follow()).status).toBe(429);
  // Another token of the same person.
  const other = await as("fay");
  for (let n = 0; n < 2; n++) streams.push(await other.follow());
  const refused = await fay.get("/changes?wait=1");
  const { body } = await fay.get("/changes");
  expect(body.data).toEqual([]);
  expect((await fay.get(`/changes?cursor=${body.next_cursor}&wait=30`)).status).toBe(429);
  expect(refused.headers.get("retry-after")).toBe("30");
  expect((await fay.follow()).status).toBe(429);
  const crowd = await Promise.all(Array.from({ length: 25 }, (_, n) => as(`crowd-${n}`)));
  const begun = (await gus.get("/changes")).body.next_cursor;
  const waits = crowd.map((one) => one.get(`/changes?cursor=${begun}&wait=5`));
  for (let n = 0; n < 10; n++)
    expect((await gus.send("POST", "/todos", { title: `Todo ${n}` })).status).toBe(201);
  expect(streams.map((stream) => stream.isOver())).toEqual(streams.map(() => false));
  streams[0]?.close();
  // A place is free again as soon as its client has gone.
  await eventually(async () => (await fay.follow()).status === 200);
  await Promise.all(waits);
});

test("an outdated cursor is refused, and a stream needs the scopes of all that it shows", async () => {
  const hal = await as("hal");
  expect((await hal.follow("1.2.3.0.0.0")).status).toBe(422);
  expect((await hal.follow("nonsense")).status).toBe(422);
  const token = await tokenOf("hal", { scope: "todos:read" });
  expect((await followChanges(config.baseUrl, token)).status).toBe(403);
  expect((await followChanges(config.baseUrl, "nonsense")).status).toBe(401);
});

test("a stream ends with its token", async () => {
  const token = await tokenOf("ida", { exp: Math.floor(Date.now() / 1_000) + 3 });
  const stream = await followChanges(config.baseUrl, token);
  expect(stream.status).toBe(200);
  const other = await tokenOf("ida");
  for (let n = 0; !stream.isOver() && n < 100; n++) {
    await rest("POST", "/todos", { token: other, body: { title: `Todo ${n}` } });
    await Bun.sleep(200);
  }
  await stream.ended;
});

test("the clients of one network hold 200 streams, however many accounts they have, and another network finds room", async () => {
  // Answers that nobody holds are closed.
  const held: Response[] = [];
  const close = () => Promise.all(held.splice(0).map(({ body }) => body?.cancel()));
  /** Opens a stream from a network. @returns its status */
  const open = async (name: string, network: string): Promise<number> => {
    const headers = { authorization: `Bearer ${await tokenOf(name)}`, "x-forwarded-for": network };
    const answer = await fetch(`${config.baseUrl}/api/v1/changes/stream`, { headers });
    held.push(answer);
    return answer.status;
  };
  // A few at a time, as a busy door answers more with 503.
  for (let n = 0; n < 200; n += 10) {
    const some = Array.from({ length: 10 }, (_, one) => open(`of the crowd ${n + one}`, "192.0.2.7"));
    expect(await Promise.all(some)).toEqual(some.map(() => 200));
  }
  expect(await open("newcomer", "192.0.2.7")).toBe(429);
  expect(await open("of the crowd 0", "192.0.2.7")).toBe(429);
  expect(await open("newcomer", "192.0.2.8")).toBe(200);
  await close();
  await eventually(async () => (await open("newcomer", "192.0.2.7")) === 200);
  await close();
});
