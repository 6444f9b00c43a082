import { afterAll, beforeAll, expect, jest, test } from "bun:test";
import fc from "fast-check";
import type { BatchSenderEvents } from "../../../api/mailbox/batch-sender.ts";
import { createMailbox } from "../../../api/mailbox/mailbox.ts";
import type { CommandName } from "../../../shared/contracts/catalogue.ts";
import { createTurns } from "../../../shared/process/turns.ts";
import type { QueuedCommand } from "../../../shared/queue/batch.ts";

beforeAll(() => void jest.useFakeTimers());
afterAll(() => void jest.useRealTimers());

/** The end of a batch. A `partial` one is answered at once, except for its first command, which takes longer. */
type BatchEnd = Readonly<{ kind: "answered" | "partial"; ms: number } | { kind: "lost" | "refused" }>;
type Sent = Readonly<{ at: number; commands: readonly QueuedCommand[] }>;
type Ended = Readonly<{ userId: string; nth: number; from: number; to: number; result: string }>;

const patienceMs = 1_500;

/** Lets time pass in steps of a millisecond, and runs the promises of each. */
async function pass(ms: number): Promise<void> {
  for (let step = 0; step < ms; step++) {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    jest.advanceTimersByTime(1);
  }
}

/** The real mailbox in simulated time. Its sender plays Redis and workers, which take two batches at a time. */
async function open(endOf: (commands: readonly QueuedCommand[], nth: number) => BatchEnd, slots = 2) {
  const [sent, ended]: [Sent[], Ended[]] = [[], []];
  const turns = createTurns({ atOnce: slots });
  let isOpen = true;
  let events: BatchSenderEvents | undefined;

  const answer = (commands: readonly QueuedCommand[]) => {
    for (const { ticket, userId } of commands)
      events?.onReply({ ticket, outcome: { body: userId }, replayed: false });
  };

  async function send(commands: readonly QueuedCommand[]): Promise<boolean> {
    const end = endOf(commands, sent.length);
    sent.push({ at: performance.now(), commands });
    if (!("ms" in end)) {
      await Bun.sleep(end.kind === "lost" ? patienceMs + 1 : 1);
      events?.onLost(commands, end.kind === "lost" ? "unanswered" : "undelivered");
      return false;
    }
    const endTurn = await turns.take("");
    await Bun.sleep(end.ms);
    endTurn?.();
    answer(commands.slice(end.kind === "partial" ? 1 : 0));
    if (end.kind === "partial") setTimeout(() => answer(commands.slice(0, 1)), 4 * end.ms);
    return true;
  }

  const mailbox = await createMailbox(async (given) => {
    events = given;
    return { send, isOpen: () => isOpen, ping: async () => isOpen, close: async () => {} };
  });
  let count = 0;
  return {
    ...{ sent, ended, mailbox },
    async send(userId: string, name: CommandName = "todo.create"): Promise<Ended> {
      const from = performance.now();
      const nth = count++;
      const times = { acceptedAt: from, sentAt: from };
      const command = { id: `${nth}`, userId, name, input: {}, fingerprint: null, ...times };
      const result = await mailbox.send(command);
      const one = { userId, nth, from, to: performance.now(), result: outcomeOf(result) };
      ended.push(one);
      return one;
    },
    workersAreAway() {
      isOpen = false;
      events?.onAway();
    },
  };
}

const outcomeOf = (result: object | string): string => (typeof result === "string" ? result : "answered");

/** Sends commands one after another until the time is up. */
async function keepSending(send: () => Promise<unknown>, ms: number): Promise<void> {
  for (const until = performance.now() + ms; performance.now() < until; ) {
    await send();
    await Bun.sleep(1);
  }
}

const answeredIn = (ms: number) => (): BatchEnd => ({ kind: "answered", ms });
const longest = (ended: readonly Ended[]) => Math.max(...ended.map(({ from, to }) => to - from));

test("a lone command leaves at once and alone, and so does the next", async () => {
  const { sent, send } = await open(answeredIn(3));
  for (let turn = 0; turn < 3; turn++) {
    const began = performance.now();
    const answered = send("ada");
    expect(sent.at(-1)).toMatchObject({ at: began, commands: [{ userId: "ada" }] });
    await pass(4);
    expect((await answered).to - began).toBe(3);
  }
  expect(sent.map(({ commands }) => commands.length)).toEqual([1, 1, 1]);
});

test("under load commands share batches, because the next one waits for the callers just answered", async () => {
  const { sent, ended, send } = await open(answeredIn(6));
  for (let client = 0; client < 48; client++) void keepSending(() => send(`user ${client}`), 500);
  await pass(600);
  const sizes = sent.slice(3).map(({ commands }) => commands.length);
  expect(ended.every(({ result }) => result === "answered")).toBe(true);
  expect(sizes.reduce((a, b) => a + b, 0) / sizes.length).toBeGreaterThan(40);
  // The wait is at most half of the last batch's time.
  expect(longest(ended)).toBeLessThan(2 * 6 + 3 + 3);
});

test("while more than fill a batch wait, more batches leave at once", async () => {
  const { sent, ended, send } = await open(answeredIn(50), 4);
  for (let user = 0; user < 400; user++) void send(`user ${user}`);
  await pass(200);
  expect(sent.map(({ commands }) => commands.length)).toEqual([1, 100, 100, 100, 99]);
  expect(ended.filter(({ result }) => result === "answered")).toHaveLength(400);
  // One after another they would take 250 ms.
  expect(longest(ended)).toBeLessThanOrEqual(160);
});

test("nobody waits for somebody's many, however costly they are", async () => {
  const ofMallory = (commands: readonly QueuedCommand[]) =>
    commands.filter(({ userId }) => userId === "mallory").length;
  const { sent, ended, send } = await open((commands) => answeredIn(2 + 3 * ofMallory(commands))());
  for (let client = 0; client < 20; client++) void keepSending(() => send(`user ${client}`), 1_000);
  for (let n = 0; n < 450; n++) void send("mallory");
  await pass(1_000);
  const others = ended.filter(({ userId }) => userId !== "mallory");
  expect(others.every(({ result }) => result === "answered")).toBe(true);
  expect(longest(others)).toBeLessThan(60);
  expect(Math.max(...sent.map(({ commands }) => ofMallory(commands)))).toBe(8);
  expect(ended.length - others.length).toBeGreaterThan(200);
  await pass(2_000);
  expect(ended.filter(({ userId }) => userId === "mallory")).toHaveLength(450);
});

test("batches that nobody answers keep only their own users waiting", async () => {
  const { ended, send } = await open(([first]) =>
    first?.userId === "ada" ? { kind: "answered", ms: 5 } : { kind: "lost" },
  );
  for (const user of ["held", "stuck", "frozen"]) {
    for (let n = 0; n < 3; n++) void send(user);
    await pass(110);
  }
  void keepSending(() => send("ada"), 1_000);
  await pass(1_600);
  const of = (user: string) => ended.filter(({ userId }) => userId === user);
  const own = of("ada");
  for (const user of ["held", "stuck", "frozen"]) {
    const results = of(user).map(({ result }) => result);
    expect(results.sort()).toEqual(["unanswered", "undelivered", "undelivered"]);
  }
  expect(own.length).toBeGreaterThan(100);
  expect(longest(own)).toBeLessThan(20);
});

test("a user goes on when the last of those before is answered, also when that comes later than its batch", async () => {
  const { sent, send } = await open((_, nth) => ({ kind: nth === 0 ? "partial" : "answered", ms: 5 }));
  const began = performance.now();
  for (let n = 0; n < 20; n++) void send("ada");
  await pass(50);
  expect(sent.map(({ at, commands }) => [at - began, commands.length])).toEqual([
    [0, 1],
    [25, 19],
  ]);
});

test("what would wait for too long is refused at once, and so is what is too much for one user", async () => {
  const { mailbox, ended, send } = await open(answeredIn(400), 1);
  for (let turn = 0; turn < 20; turn++) {
    for (let user = 0; user < 60; user++) void send(`user ${user}`);
    await pass(100);
  }
  const refused = ended.filter(({ from, to, result }) => result === "undelivered" && to === from);
  expect(refused.length).toBeGreaterThan(100);
  await pass(patienceMs);
  expect(ended).toHaveLength(20 * 60);
  expect(mailbox.waiting()).toBe(0);
  const answers = Array.from({ length: 600 }, () => send("mallory"));
  await pass(patienceMs + 10);
  const at = (await Promise.all(answers)).filter(({ from, to }) => to === from);
  expect(at.length).toBeGreaterThanOrEqual(99);
});

test("when no worker is there, whoever waits is told so at once, and so is whoever comes", async () => {
  const { send, workersAreAway } = await open(() => ({ kind: "lost" }));
  const [left, ...waiting] = [send("ada"), send("ada"), send("ada")];
  await pass(10);
  workersAreAway();
  const results = await Promise.all([...waiting, send("bob")]);
  expect(results.map(({ result }) => result)).toEqual(["undelivered", "undelivered", "undelivered"]);
  await pass(patienceMs);
  expect((await left)?.result).toBe("unanswered");
});

const endIn = (kind: "answered" | "partial", min: number, max: number) =>
  fc.record({ kind: fc.constant(kind), ms: fc.integer({ min, max }) });
const ends: fc.Arbitrary<BatchEnd> = fc.oneof(
  { weight: 8, arbitrary: endIn("answered", 1, 20) },
  { weight: 2, arbitrary: endIn("answered", 90, 900) },
  { weight: 2, arbitrary: endIn("partial", 1, 100) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("lost", "refused") }) },
);
const names = fc.constantFrom<CommandName>("todo.create", "todo.create", "todo.toggle", "category.delete");
const bursts = fc.array(
  fc.record({
    user: fc.nat({ max: 4 }),
    commands: fc.array(names, { maxLength: 30 }),
    pauseMs: fc.nat({ max: 40 }),
  }),
  { maxLength: 25 },
);

test("whatever comes and whatever becomes of it: each command leaves once, in order, and is answered in time", async () => {
  await fc.assert(
    fc.asyncProperty(bursts, fc.array(ends, { minLength: 1 }), async (all, end) => {
      const world = await open((_, nth) => end[nth % end.length] ?? { kind: "lost" });
      for (const { user, commands, pauseMs } of all) {
        for (const name of commands) void world.send(`user ${user}`, name);
        await pass(pauseMs);
      }
      await pass(patienceMs + 20);
      expect(world.ended).toHaveLength(all.reduce((sum, { commands }) => sum + commands.length, 0));
      expect(
        longest([...world.ended, { userId: "", nth: 0, from: 0, to: 0, result: "" }]),
      ).toBeLessThanOrEqual(patienceMs + 1);
      expectOrder(world);
    }),
    { numRuns: 40 },
  );
});

type World = Awaited<ReturnType<typeof open>>;

/** Checks every batch and answer from outside, without knowledge of how the mailbox works. */
function expectOrder({ sent, ended }: World): void {
  const endOf = new Map(ended.map((one) => [`${one.nth}`, one]));
  const leftOf = new Map<string, { at: number; ids: number[] }[]>();
  for (const { at, commands } of sent) {
    expect(commands.length).toBeWithin(1, 101);
    for (const [userId, own] of Map.groupBy(commands, (one) => one.userId)) {
      if (own.some(({ name }) => name === "category.delete")) expect(own).toHaveLength(1);
      leftOf.set(userId, [...(leftOf.get(userId) ?? []), { at, ids: own.map(({ id }) => Number(id)) }]);
    }
  }
  for (const batches of leftOf.values()) {
    const ids = batches.flatMap((batch) => batch.ids);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    batches.reduce((before, next) => {
      for (const id of before.ids) expect(endOf.get(`${id}`)?.to).toBeLessThanOrEqual(next.at);
      return next;
    });
  }
  const left = new Set([...leftOf.values()].flat().flatMap(({ ids }) => ids));
  for (const { nth, result } of ended) if (result !== "undelivered") expect(left.has(nth)).toBe(true);
}
