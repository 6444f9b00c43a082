import { afterAll, expect, test } from "bun:test";
import { answeredByResource } from "../../../api/mailbox/answered-by-resource.ts";
import { createDispatch, type Sender } from "../../../api/mailbox/dispatch.ts";
import { type Mailbox, openMailbox } from "../../../api/mailbox/mailbox.ts";
import { createQueryContext } from "../../../api/queries/engine/context.ts";
import { openQueryDatabase } from "../../../api/queries/engine/guard.ts";
import { createReadAgain } from "../../../api/queries/read-again.ts";
import { type CommandName, commands, queries } from "../../../shared/contracts/catalogue.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { batchVersion, type Call, type QueuedCommand } from "../../../shared/queue/batch.ts";
import { runCommands } from "../../../workers/commands/transaction/transaction.ts";
import { createByteLedger } from "../../../workers/unit-of-work/bytes/ledger.ts";
import { createQuotas } from "../../../workers/unit-of-work/new-rows.ts";
import { describeTables } from "../../../workers/unit-of-work/tables.ts";
import { useStack } from "../../harness.ts";
import { openPageDoor } from "../../support/page-door.ts";

const stack = await useStack();
const { rest, config, sub } = stack;
const { database, mailbox, serverClock: clock, close } = await openPageDoor(stack);
afterAll(close);

const { defaultTimeZone, baseUrl } = config;
const db = openQueryDatabase(database);
const queryOf = ({ userId }: { userId: string }) =>
  createQueryContext({ db, userId, now: Date.now(), defaultTimeZone, baseUrl });
const ada = { userId: sub };
const by = (): Sender => ({ door: "rest", requestId: Bun.randomUUIDv7(), tokenId: "t", clientName: null });
const inboxOf = async (id: string) =>
  (await database.pool.query("select from inbox where command_id = $1", [id])).rowCount;

/** A door whose workers answer, but which never hears them. */
function deafDispatch(meanwhile: () => Promise<unknown> = async () => {}) {
  const sent: string[] = [];
  const deaf: Mailbox = {
    ...mailbox,
    async send(command) {
      sent.push(command.id);
      await mailbox.send(command);
      await meanwhile();
      return "unanswered";
    },
  };
  const dispatch = createDispatch(deaf, database, clock, { readAgain: createReadAgain(queryOf) });
  return { sent, dispatch };
}

test("a change whose answer is lost is answered by what it changed, without a stored reply", async () => {
  const { sent, dispatch } = deafDispatch();
  const made = await dispatch(ada, { name: "todo.create", input: { title: "Lost" }, by: by() });
  const { body: listed } = await rest("GET", "/todos");
  expect(made).toEqual({ outcome: { body: listed.data[0] }, replayed: false });
  const { id } = listed.data[0];
  const input = { todo_id: id, is_completed: true };
  const toggled = await dispatch(ada, { name: "todo.toggle", input, by: by() });
  expect(toggled.outcome).toEqual({ body: (await rest("GET", `/todos/${id}`)).body });
  expect(toggled.outcome).toMatchObject({ body: { is_completed: true } });
  expect(await Promise.all(sent.map(inboxOf))).toEqual([0, 0]);
});

test("a refusal is stored, and what is deleted meanwhile is not told as not made", async () => {
  const { sent, dispatch } = deafDispatch();
  const missing = await dispatch(ada, { name: "todo.toggle", input: { todo_id: 99_999 }, by: by() });
  expect(missing.outcome).toMatchObject({ refusal: { code: "not_found" } });
  expect(await Promise.all(sent.map(inboxOf))).toEqual([1]);
  const deleting = deafDispatch(() => database.pool.query("delete from todos where title = 'Short-lived'"));
  const short = { name: "todo.create", input: { title: "Short-lived" } } as const;
  const gone = await deleting.dispatch(ada, { ...short, by: by() });
  expect(gone.outcome).toMatchObject({ refusal: { code: "overloaded", applied: "unknown" } });
});

function commandOf(name: CommandName, input: object): Omit<QueuedCommand, "ticket"> & { call: Call } {
  const call = { ...by(), tool: name, arguments: "{}", startedAt: Date.now() };
  return {
    ...{ id: Bun.randomUUIDv7(), userId: sub, name, input, fingerprint: null },
    ...{ acceptedAt: Date.now(), sentAt: Date.now(), call, readsAgain: true },
  };
}

test("such a command has one effect, however often and at once its job comes", async () => {
  const { id: todoId } = (await rest("POST", "/todos", { body: { title: "own" } })).body;
  const some = [commandOf("todo.create", { title: "once" }), commandOf("todo.toggle", { todo_id: todoId })];
  const other = await openMailbox(config, database.pool);
  const repliesTo = (box: Mailbox) =>
    Promise.all(some.map((command) => box.send({ ...command, sentAt: Date.now() })));
  const both = (await Promise.all([repliesTo(mailbox), repliesTo(other)])).flat();
  const later = await repliesTo(other);
  await other.close();
  const replies = both.flatMap((reply) => (typeof reply === "object" ? [reply] : []));
  expect(replies.filter(({ outcome }) => "body" in outcome)).toHaveLength(2);
  expect(replies.filter(({ changedId }) => changedId !== undefined)).toHaveLength(2);
  expect(later).toMatchObject([{ changedId: expect.any(Number) }, { changedId: todoId }]);
  expect((await rest("GET", `/todos/${todoId}`)).body.is_completed).toBe(true);
  expect((await rest("GET", "/todos?q=once")).body.meta.total).toBe(1);
});

test("a tool call whose answer is lost is answered so as well, and has one row in the log", async () => {
  const { dispatch } = deafDispatch();
  const command = commandOf("todo.create", { title: "By a tool" });
  const call: Call = { ...command.call, door: "mcp", tool: "create-todo" };
  const made = await dispatch(ada, { name: command.name, input: command.input, by: call });
  expect(made).toMatchObject({ outcome: { body: { title: "By a tool" } }, replayed: false });
  expect(await mailbox.send({ ...command, call })).toMatchObject({ changedId: expect.any(Number) });
  const rows = await database.pool.query("select outcome from action_log where request_id = $1", [
    call.requestId,
  ]);
  expect(rows.rows).toEqual([{ outcome: "ok" }]);
  expect((await rest("GET", "/todos?q=tool")).body.meta.total).toBe(1);
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
    ...{
      pool: { connect },
      config,
      log: createLog("test", "silent"),
      tracing: undefined,
    },
    tables,
    ledger: createByteLedger(config),
    openNewRows: createQuotas(),
    metrics: { ended() {}, committed() {} },
  };
  const received = [{ command, batch, repeat: false, maybeApplied: false }];
  const { replies } = await runCommands(
    context as unknown as Parameters<typeof runCommands>[0],
    received,
    "skip",
  );
  expect(isCut).toBe(true);
  expect(replies.map(([, { changedId }]) => changedId)).toEqual([expect.any(Number)]);
  expect((await rest("GET", "/todos?q=doubt")).body.meta.total).toBe(1);
});

test("an attempt that meets another one before its commit has no effect of its own", async () => {
  const command = commandOf("todo.create", { title: "Met" });
  const { requestId, startedAt } = command.call;
  const earlier = await database.pool.connect();
  await earlier.query("begin");
  await earlier.query(
    `insert into action_log (user_id, called_at, request_id, door, token_id, tool, arguments, outcome, replayed, calls,
       duration_ms, resource_kind, resource_id) values ($3, $1, $2, 'rest', 't', 'todo.create', '{}', 'ok', false, 1, 0, 'todo', 77)`,
    [new Date(startedAt).toISOString(), requestId, sub],
  );
  const reply = mailbox.send(command);
  // This is longer than a statement waits for a lock, so the command is retried as a repeat.
  await Bun.sleep(300);
  await earlier.query("commit");
  earlier.release();
  expect(await reply).toMatchObject({ changedId: 77 });
  expect((await rest("GET", "/todos?q=met")).body.meta.total).toBe(0);
});

test("each query that answers for a command gives what the command does", () => {
  for (const [name, reading] of Object.entries(answeredByResource)) {
    expect(queries[reading.query].output as object).toBe(commands[name as CommandName].output as object);
    expect(Object.keys(queries[reading.query].input.properties)).toEqual([reading.id]);
  }
});
