import { SQL } from "bun";
import { createDispatch } from "../../../api/mailbox/dispatch.ts";
import { openMailbox } from "../../../api/mailbox/mailbox.ts";
import { openServerClock } from "../../../api/mailbox/server-clock.ts";
import { createQueryContext } from "../../../api/queries/engine/context.ts";
import { openQueryDatabase } from "../../../api/queries/engine/guard.ts";
import { read } from "../../../api/queries/index.ts";
import type { CommandName } from "../../../shared/contracts/catalogue.ts";
import { openDatabase } from "../../../shared/db/orm.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import type { Stack } from "../../harness.ts";

// biome-ignore lint/suspicious/noExplicitAny: rows of whatever the test asks for
type Row = any;

/** Runs one query on a connection of its own and closes it. */
export async function query(databaseUrl: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const sql = new SQL(databaseUrl, { max: 1 });
  try {
    return await sql.unsafe(text, values);
  } finally {
    await sql.close();
  }
}

/** Polls until `check` returns a value, and returns that. */
export async function eventually<Found>(
  check: () => Promise<Found | undefined | false> | Found | undefined | false,
  withinMs = 10_000,
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
export function reminding({ rest, config, clock }: Stack) {
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
    statusBecomes: (todoId: number, status: string) =>
      eventually(async () => (await rest("GET", `/todos/${todoId}`)).body.reminder?.status === status),
    deliveriesOf: (todoId: number) =>
      query(config.databaseUrl, "select * from reminder_deliveries where todo_id = $1", [todoId]),
  };
}

/** Runs commands and queries that no bearer token reaches, as the account pages do for a signed-in user. */
export async function asAccountPage(
  { config, clock }: Pick<Stack, "config" | "clock">,
  name: CommandName | "user.settings",
  input: object = {},
  userId = "ada",
): Promise<Row> {
  const database = await openDatabase({ url: config.databaseUrl, log: createLog("test", "error") });
  const mailbox = await openMailbox(config, database.pool);
  const serverClock = await openServerClock(database.pool);
  const now = () => clock.now ?? Date.now();
  try {
    if (name === "user.settings") {
      const db = openQueryDatabase(database);
      const { defaultTimeZone, baseUrl } = config;
      const query = createQueryContext({ db, userId, now: now(), defaultTimeZone, baseUrl });
      return await read("user.settings", query, input);
    }
    const dispatch = createDispatch(mailbox, database, serverClock, { now });
    // A new mailbox may not be connected yet.
    await eventually(() => mailbox.ping());
    const { outcome } = await dispatch({ userId }, { name, input });
    return "body" in outcome ? outcome.body : outcome.refusal;
  } finally {
    await mailbox.close();
    serverClock.close();
    await database.close();
  }
}
