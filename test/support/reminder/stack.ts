import { afterAll } from "bun:test";
import { SQL } from "bun";
import { createQueryContext, openQueryDatabase } from "../../../api/queries/engine/context.ts";
import { read } from "../../../api/queries/index.ts";
import type { CommandName } from "../../../shared/contracts/catalogue.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { connectBlocking, workerSilenceMs } from "../../../shared/queue/connections.ts";
import { deliveryQueue, openQueue } from "../../../shared/queue/queues.ts";
import type { DeliveryKeys } from "../../../workers/reminder/store.ts";
import { runTick } from "../../../workers/reminder/tick.ts";
import { type Stack, type StackOptions, startStack, useStack } from "../../harness.ts";
import { once } from "../once.ts";
import { startReceiver } from "./receiver.ts";

// biome-ignore lint/suspicious/noExplicitAny: rows of whatever the test asks for
type Row = any;

/** Runs one query on a connection of its own and closes it. */
export async function query(databaseUrl: string, text: string, values: unknown[] = []): Promise<Row[]> {
  await using sql = new SQL(databaseUrl, { max: 1 });
  return [...(await sql.unsafe(text, values))];
}

/** Polls until `check` returns a value, and returns that. */
export async function eventually<Found>(
  check: () => Promise<Found | undefined | false> | Found | undefined | false,
  withinMs = 120_000,
): Promise<Found> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const found = await check();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`Nothing within ${withinMs} ms of: ${check}`);
    await Bun.sleep(25);
  }
}

/** Helps tests that move in time through the real REST API. */
function reminding({ rest, config, clock }: Stack, tick: () => Promise<void>) {
  return {
    /** Sets the clock of front doors and workers. */
    travelTo(time: string): void {
      clock.now = Date.parse(time);
    },
    async createTodo(fields: object = {}): Promise<number> {
      const { body } = await rest("POST", "/todos", { body: { title: "Water the plants", ...fields } });
      return body.id;
    },
    remind: (todoId: number, remind_at: string) =>
      rest("PUT", `/todos/${todoId}/reminder`, { body: { remind_at } }),
    toggle: (todoId: number) => rest("POST", `/todos/${todoId}/toggle`),
    async reminderOf(todoId: number) {
      return (await rest("GET", `/todos/${todoId}`)).body.reminder;
    },
    async statusBecomes(todoId: number, status: string): Promise<void> {
      await tick();
      await eventually(async () => (await rest("GET", `/todos/${todoId}`)).body.reminder?.status === status);
    },
    deliveriesOf: (todoId: number) =>
      query(config.databaseUrl, "select * from reminder_deliveries where todo_id = $1", [todoId]),
  };
}

/** The travelling stack of this process, for reminders of the file's person. */
export async function useReminders() {
  const stack = await useStack({ travels: true });
  return withReminders(stack, await once("reminders", () => openReminders(stack)));
}

/** A stack for one file, for reminders that need a setting or server of their own. */
export async function startReminders(options: StackOptions) {
  // Registered before the stack's own, so that it runs first: the stack counts connections.
  afterAll(() => opened.close());
  const stack = await startStack(options);
  const opened = await openReminders(stack);
  return withReminders(stack, opened);
}

/** A page door and a `tick` that takes due reminders, as the workers do once a second. */
async function openReminders({ config, clock, page }: Stack) {
  const door = await page();
  const { queuePrefix, defaultTimeZone, redisUrl } = config;
  const connection = connectBlocking(redisUrl, workerSilenceMs);
  const queue = openQueue<DeliveryKeys>(deliveryQueue, { connection, queuePrefix });
  const context = {
    ...{ database: door.database, queue, defaultTimeZone, log: createLog("test", "error") },
    travel: () => `${(clock.now ?? Date.now()) - Date.now()} milliseconds`,
    hasJumped: async () => false,
  };
  return {
    door,
    tick: () => runTick(context),
    async close() {
      await queue.close();
      connection.disconnect();
    },
  };
}

function withReminders(stack: Stack, { door, tick }: Awaited<ReturnType<typeof openReminders>>) {
  /** Runs commands and queries that no bearer token reaches, as the account pages do for a signed-in user. */
  function send(name: CommandName | "user.settings", input: object = {}): Promise<Row> {
    if (name !== "user.settings") return door.send(stack.sub, name, input);
    const { config, clock, sub: userId } = stack;
    const { defaultTimeZone, baseUrl } = config;
    const own = { db: openQueryDatabase(door.database), userId, now: clock.now ?? Date.now() };
    return Promise.resolve(read(name, createQueryContext({ ...own, defaultTimeZone, baseUrl }), input));
  }
  const configure = (fields: object) => send("user.configure", fields);
  const rows = async (text: string, values: unknown[] = []): Promise<Row[]> =>
    (await door.pool.query(text, values)).rows;
  const actionsOn = (id: number, tool: string) =>
    rows(
      `select called_at, request_id, door, client_name, resource_name from action_log
       where resource_id = $1 and tool = $2 and outcome = 'ok'`,
      [id, tool],
    );
  return {
    ...{ ...stack, ...reminding(stack, tick), door, tick, send, configure, rows },
    /** A webhook at which the person's reminders arrive. */
    async useWebhook(fields: object = {}) {
      let secret = "";
      const receiver = startReceiver(() => secret);
      const chosen = { reminder_channel: "webhook", webhook_url: receiver.url, ...fields };
      secret = (await configure(chosen)).webhook_secret;
      return receiver;
    },
    actionsOn,
    /** Undoes the actions of a tool on a thing, as the account pages do. */
    async undo(id: number, tool: string) {
      const found = await actionsOn(id, tool);
      const actions = found.map(({ called_at, request_id }) => ({ called_at, request_id }));
      return (await send("action.undo", { actions })).ends;
    },
  };
}
