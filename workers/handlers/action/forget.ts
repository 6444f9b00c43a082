import type { Commands, InputOf } from "../../../shared/contracts/catalogue.ts";
import { type ResourceKind, tableOf } from "../../../shared/domain/vocabulary.ts";
import { conflict, refuse } from "../../../shared/errors.ts";
import type { Queryable } from "../../unit-of-work/connection.ts";
import { forUpdate } from "../../unit-of-work/row-request.ts";
import { countSoon } from "../../upkeep/account-bytes.ts";
import type { Handler } from "../handler.ts";

/**
 * Forgets a deleted thing. What is stored of it is overwritten after the transaction, in steps, because a log can be long;
 * repeating it changes nothing.
 */
export const actionForget: Handler<"action.forget"> = {
  idempotent: true,
  rows: ({ kind, id }) => [forUpdate(tableOf[kind], id)],
  run(context, { kind, id }) {
    if (context[tableOf[kind]].get(id)) return conflict(`This ${kind} is there.`, "Delete it first.");
    return null;
  },
  followUp: forgetTraces,
};

type Forgotten = InputOf<Commands["action.forget"]>;

/** The names of a thing's rows in images, and the beginning of its JSON in an answer, with its id. */
const shapes: Readonly<Record<ResourceKind, Readonly<{ rows: string; answer: string }>>> = {
  todo: { rows: "(todos|reminders)", answer: `"title":` },
  habit: {
    rows: "(habits|habit_completions|habit_amounts)",
    answer: `"name":"([^"\\\\]|\\\\.)*","type":`,
  },
  category: {
    rows: "categories",
    answer: `"name":"([^"\\\\]|\\\\.)*","color":`,
  },
};

/** Overwrites everything about a thing in the log and in stored answers, and everything kept for its return. */
async function forgetTraces(connection: Queryable, userId: string, { kind, id }: Forgotten): Promise<void> {
  const { rows, answer } = shapes[kind];
  const named = `"${rows}/${id}[/"]`;
  await inSteps(connection, userId, actions, [kind, id, named]);
  await inSteps(connection, userId, images, [named]);
  await inSteps(connection, userId, approvals, [named, `"id":${id},${answer}`]);
  const forgotten = JSON.stringify(refuse("not_found", "This was deleted and then forgotten."));
  await inSteps(connection, userId, replies, [`"id":${id},${answer}`, forgotten]);
  if (kind === "category") {
    await inSteps(connection, userId, callsWithName, [`"category_id":${id}[,}]`, listOfNames]);
    await inSteps(connection, userId, replies, [listOfNames, forgotten]);
    for (const members of [formerMembers("habits"), formerMembers("todos")])
      await inSteps(connection, userId, members, [id]);
  }
  if (kind === "habit")
    for (const table of ["habit_completions", "habit_amounts"] as const)
      await inSteps(connection, userId, daysOf(table), [id]);
  await countSoon(connection, userId);
}

/** The beginning of the refusal of an unknown category name, which lists the other categories. */
const listOfNames = "The category field must name a category: ";

/** A table; each statement examines a user's rows in steps, by key. */
type Steps = Readonly<{
  table: string;
  key: Readonly<Record<string, Readonly<{ type: string; first: string }>>>;
  rowsAtOnce: number;
  /**
   * The statement for one step, with the table as `a` and the rows of the step as `these`; its first parameter has
   * the given number.
   */
  change(first: number): string;
}>;

const firstId = { type: "uuid", first: "00000000-0000-0000-0000-000000000000" };
const actionKey = { called_at: { type: "timestamptz", first: "-infinity" }, request_id: firstId };

const actions: Steps = {
  table: "action_log",
  key: actionKey,
  rowsAtOnce: 5_000,
  change: (first) => `
    update action_log a set resource_name = null, arguments = '{}', message = null, before = null, after = null
    from these where a.user_id = $1 and (a.called_at, a.request_id) = (these.called_at, these.request_id)
      and (a.resource_kind = $${first} and a.resource_id = $${first + 1}
        or a.before ~ $${first + 2} or a.after ~ $${first + 2})`,
};

/** An agent may have sent or received the category's name. */
const callsWithName: Steps = {
  table: "action_log",
  key: actionKey,
  rowsAtOnce: 5_000,
  change: (first) => `
    update action_log a set arguments = '{}', message = null
    from these where a.user_id = $1 and (a.called_at, a.request_id) = (these.called_at, these.request_id)
      and (a.before ~ $${first} or a.after ~ $${first} or starts_with(a.message, $${first + 1}))`,
};

/** Whole images can be long. */
const images: Steps = {
  table: "action_images",
  key: actionKey,
  rowsAtOnce: 200,
  change: (first) => `
    delete from action_images a using these
    where a.user_id = $1 and (a.called_at, a.request_id) = (these.called_at, these.request_id)
      and (a.before ~ $${first} or a.after ~ $${first})`,
};

/** A request that still waits for a forgotten thing could not be carried out. */
const approvals: Steps = {
  table: "approvals",
  key: { id: firstId },
  rowsAtOnce: 200,
  change: (first) => `
    delete from approvals a using these
    where a.user_id = $1 and a.id = these.id
      and (a.before ~ $${first} or a.after ~ $${first} or a.outcome ~ $${first + 1})`,
};

const replies: Steps = {
  table: "inbox",
  key: { command_id: firstId },
  rowsAtOnce: 2_000,
  change: (first) => `
    update inbox a set reply = $${first + 1} from these
    where a.user_id = $1 and a.command_id = these.command_id and a.reply ~ $${first}`,
};

const formerMembers = (table: "habits" | "todos"): Steps => ({
  table,
  key: { id: { type: "bigint", first: "0" } },
  rowsAtOnce: 2_000,
  change: (first) => `
    update ${table} a set former_category_id = null from these
    where a.user_id = $1 and a.id = these.id and a.former_category_id = $${first}::bigint`,
});

const daysOf = (table: "habit_completions" | "habit_amounts"): Steps => ({
  table,
  key: { habit_id: { type: "bigint", first: "0" }, local_date: { type: "date", first: "-infinity" } },
  rowsAtOnce: 5_000,
  change: (first) => `
    delete from ${table} a using these
    where a.user_id = $1 and (a.habit_id, a.local_date) = (these.habit_id, these.local_date)
      and a.habit_id = $${first}::bigint`,
});

/** A user can have many rows, so one statement over all of them would take too long. */
async function inSteps(
  connection: Queryable,
  userId: string,
  { table, key, rowsAtOnce, change }: Steps,
  values: readonly unknown[],
): Promise<void> {
  const columns = Object.keys(key);
  const place = Object.values(key).map(({ type }, index) => `$${index + 2}::${type}`);
  const step = `
    with these as (
      select ${columns.join(", ")} from ${table}
      where user_id = $1 and (${columns.join(", ")}) > (${place.join(", ")})
      order by ${columns.join(", ")} limit ${rowsAtOnce}
    ), forgotten as (${change(columns.length + 2)})
    select ${columns.join(", ")} from these order by ${columns.map((column) => `${column} desc`).join(", ")} limit 1`;
  let last: Record<string, string> | undefined = Object.fromEntries(
    Object.entries(key).map(([column, { first }]) => [column, first]),
  );
  while (last) {
    const from: Record<string, string> = last;
    const found: { rows: Record<string, string>[] } = await connection.query<Record<string, string>>(step, [
      userId,
      ...columns.map((column) => from[column]),
      ...values,
    ]);
    last = found.rows[0];
  }
}
