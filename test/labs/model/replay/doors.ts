import { createDispatch } from "../../../../api/mailbox/dispatch.ts";
import { openMailbox } from "../../../../api/mailbox/mailbox.ts";
import { openServerClock } from "../../../../api/mailbox/server-clock.ts";
import { openDatabase } from "../../../../shared/db/orm.ts";
import { isRefused } from "../../../../shared/errors.ts";
import type { Config } from "../../../../shared/process/config.ts";
import { createLog } from "../../../../shared/process/observe/log.ts";
import { eventually } from "../../../support/reminder/stack.ts";
import type { Trace } from "./traces.ts";

type Scenario = Trace["scenario"];

/** Somebody with a todo, whose two requests have these ids. */
type Person = Readonly<{ userId: string; todoId: number; requestIds: readonly string[] }>;

export type Doors = Awaited<ReturnType<typeof openDoors>>;

/** Opens two front doors, as far as a change goes through them. */
export async function openDoors(config: Config) {
  const database = await openDatabase({ url: config.databaseUrl, log: createLog("test", "silent") });
  const clock = await openServerClock(database.pool);
  const mailboxes = await Promise.all([0, 1].map(() => openMailbox(config, database.pool)));
  const doors = mailboxes.map((mailbox) => createDispatch(mailbox, database, clock));

  async function ask(door: number, userId: string, request: Parameters<(typeof doors)[0]>[1]) {
    const result = await doors[door]?.({ userId }, request);
    if (!result) throw new Error(`There is no door ${door}.`);
    return result.outcome;
  }
  /** A door asks for PostgreSQL's time once a second, so it learns late of a jump that a trace made. */
  async function isRight(): Promise<boolean> {
    const { rows } = await database.pool.query(
      "select extract(epoch from clock_timestamp())::float8 * 1000 as ms",
    );
    return Math.abs(clock.now() - rows[0]?.ms) < 50;
  }
  return {
    pool: database.pool,
    /** @returns the model's word for the answer */
    async send(scenario: Scenario, person: Person, request: number): Promise<"DONE" | "NO" | "UNKNOWN"> {
      const door = scenario === "KEY" ? request : 0;
      const outcome = await ask(door, person.userId, requestOf(scenario, person, request));
      if (!isRefused(outcome)) return "DONE";
      return outcome.refusal.applied === "no" ? "NO" : "UNKNOWN";
    },
    async newPerson(): Promise<Person> {
      await eventually(isRight);
      const userId = crypto.randomUUID();
      const outcome = await ask(0, userId, { name: "todo.create", input: { title: "first" } });
      if (isRefused(outcome)) throw new Error(outcome.refusal.message);
      const { id } = outcome.body as { id: number };
      return { userId, todoId: id, requestIds: [Bun.randomUUIDv7(), Bun.randomUUIDv7()] };
    },
    async close(): Promise<void> {
      await Promise.all(mailboxes.map((mailbox) => mailbox.close()));
      clock.close();
      await database.close();
    },
  };
}

function requestOf(scenario: Scenario, { todoId, requestIds }: Person, request: number) {
  const by = { tokenId: "token", clientName: null, requestId: requestIds[request] ?? "" };
  const page = { ...by, door: "page", tokenId: "" } as const;
  const create = { name: "todo.create", input: { title: titleOf(scenario, request) } } as const;
  if (scenario === "KEY") return { ...create, idempotencyKey: "one key", by: page };
  if (request === 1) return { ...create, by: { ...by, door: "rest" } as const };
  return { name: "todo.toggle", input: { todo_id: todoId }, by: page } as const;
}

const titleOf = (scenario: Scenario, request: number) => (scenario === "KEY" ? "one" : `number ${request}`);

const changesOf = `
  select (select count(*) from todos where user_id = $1 and (title = $2 or (title = 'first' and is_completed and $4)))::int as changes,
    (select count(*) from action_log where user_id = $1 and request_id = any($3) and outcome = 'ok')::int as logged`;

/** Counts the effects of a request's command, and its rows in the log. */
export async function countEffects(
  { pool }: Pick<Doors, "pool">,
  scenario: Scenario,
  person: Person,
  request: number,
) {
  const ids = scenario === "KEY" ? person.requestIds : [person.requestIds[request]];
  const isToggle = scenario === "ORDER" && request === 0;
  const values = [person.userId, titleOf(scenario, request), ids, isToggle];
  const { rows } = await pool.query<{ changes: number; logged: number }>(changesOf, values);
  return { changes: rows[0]?.changes, logged: rows[0]?.logged };
}
