import { expect, test } from "bun:test";
import { createDispatch, type Sender } from "../../../api/mailbox/dispatch.ts";
import { type Mailbox, openMailbox } from "../../../api/mailbox/mailbox.ts";
import type { CommandName } from "../../../shared/contracts/catalogue.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { batchVersion, type Call, type QueuedCommand } from "../../../shared/queue/batch.ts";
import { runCommands } from "../../../workers/commands/transaction/transaction.ts";
import { createQuotas } from "../../../workers/unit-of-work/new-rows.ts";
import { describeTables } from "../../../workers/unit-of-work/tables.ts";
import { noAccountBytes } from "../../../workers/upkeep/account-bytes.ts";
import { useStack } from "../../harness.ts";

const stack = await useStack();
const { rest, config, sub } = stack;
const { database, mailbox, serverClock: clock } = await stack.page();

const ada = { userId: sub };
const by = (): Sender => ({ door: "rest", requestId: Bun.randomUUIDv7(), tokenId: "t", clientName: null });

/** The workers answer, but the door never hears them. */
const deaf: Mailbox = {
  ...mailbox,
  async send(command) {
    await mailbox.send(command);
    return "unanswered";
  },
};

test("a change whose answer is lost is answered by the stored reply, be it done or refused", async () => {
  const dispatch = createDispatch(deaf, database, clock);
  const made = await dispatch(ada, { name: "todo.create", input: { title: "Lost" }, by: by() });
  const [{ id, title }] = (await rest("GET", "/todos?q=lost")).body.data;
  expect(made).toMatchObject({ outcome: { body: { id, title } }, replayed: false });
  const byTool: Call = { ...commandOf("todo.create", {}).call, door: "mcp", tool: "create-todo" };
  const told = await dispatch(ada, { name: "todo.create", input: { title: "By a tool" }, by: byTool });
  expect(told).toMatchObject({ outcome: { body: { title: "By a tool" } }, replayed: false });
  const missing = await dispatch(ada, { name: "todo.toggle", input: { todo_id: 99_999 }, by: by() });
  expect(missing.outcome).toMatchObject({ refusal: { code: "not_found" } });
});

function commandOf(name: CommandName, input: object): Omit<QueuedCommand, "ticket"> & { call: Call } {
  const call = { ...by(), tool: name, arguments: "{}", startedAt: Date.now() };
  return {
    ...{ id: Bun.randomUUIDv7(), userId: sub, name, input, fingerprint: null },
    ...{ acceptedAt: Date.now(), sentAt: Date.now(), call },
  };
}

test("a command without a key has one effect and one row in the log, however often and at once its job comes", async () => {
  const { id: todoId } = (await rest("POST", "/todos", { body: { title: "own" } })).body;
  const some = [commandOf("todo.create", { title: "once" }), commandOf("todo.toggle", { todo_id: todoId })];
  const other = await openMailbox(config, database.pool);
  const repliesTo = (box: Mailbox) =>
    Promise.all(some.map((command) => box.send({ ...command, sentAt: Date.now() })));
  const both = (await Promise.all([repliesTo(mailbox), repliesTo(other)])).flat();
  const later = await repliesTo(other);
  await other.close();
  const bodies = [...both, ...later].map((reply) => (typeof reply === "object" ? reply.outcome : reply));
  for (const [n, body] of bodies.entries()) expect<unknown>(body).toEqual(bodies[n % 2]);
  expect((await rest("GET", `/todos/${todoId}`)).body.is_completed).toBe(true);
  expect((await rest("GET", "/todos?q=once")).body.meta.total).toBe(1);
  const logged = await database.pool.query(
    "select outcome, replayed from action_log where request_id = any($1) and not replayed",
    [some.map(({ call }) => call.requestId)],
  );
  expect(logged.rows).toHaveLength(2);
});

test("a commit whose answer is lost is found by the next attempt, and answered as what it was", async () => {
  let isCut = false;
  /** The first commit succeeds, but the connection breaks before PostgreSQL's answer. */
  async function connect() {
    const client = await database.pool.connect();
    const query = async (text: string, values?: unknown[]) => {
      const result = await client.query(text, values);
      if (text !== "commit" || isCut) return result;
      isCut = true;
      throw new Error("Connection terminated unexpectedly");
    };
    return { query, release: (error?: boolean) => client.release(error) };
  }
  const command = { ...commandOf("todo.create", { title: "In doubt" }), ticket: 1 };
  const batch = { v: batchVersion, id: "b", replyTo: "door", commands: [command], receivedAt: 0 } as const;
  const tables = describeTables(database.orm);
  const context = {
    ...{ pool: { connect }, config, log: createLog("test", "silent"), tracing: undefined },
    ...{ tables, accountBytes: noAccountBytes, openNewRows: createQuotas() },
    metrics: { ended() {}, committed() {} },
  };
  const received = [{ command, batch, repeat: false, maybeApplied: false }];
  const { replies } = await runCommands(
    context as unknown as Parameters<typeof runCommands>[0],
    received,
    "skip",
  );
  expect(isCut).toBe(true);
  expect(replies.map(([, { outcome }]) => outcome)).toMatchObject([{ body: { title: "In doubt" } }]);
  expect((await rest("GET", "/todos?q=doubt")).body.meta.total).toBe(1);
});
