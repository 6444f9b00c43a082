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

const firsts = {
  uuid: "00000000-0000-0000-0000-000000000000",
  timestamptz: "-infinity",
  date: "-infinity",
  bigint: "0",
} as const;

/** A change of a user's rows in a table, which are examined in steps. */
type Steps = Readonly<{
  table: string;
  /** The columns of its key after the user, with their types. */
  key: Readonly<Record<string, keyof typeof firsts>>;
  rowsAtOnce: number;
  /** Assignments; without any, the rows are deleted. */
  set?: string;
  /** The condition on a row `a`. The user is $1, and the given values are $2, $3 and so on. */
  where: string;
}>;

const actionKey = { called_at: "timestamptz", request_id: "uuid" } as const;

const actions: Steps = {
  table: "action_log",
  key: actionKey,
  rowsAtOnce: 5_000,
  set: "resource_name = null, arguments = '{}', message = null, before = null, after = null",
  where: "a.resource_kind = $2 and a.resource_id = $3 or a.before ~ $4 or a.after ~ $4",
};

/** An agent may have sent or received the category's name. */
const callsWithName: Steps = {
  ...actions,
  set: "arguments = '{}', message = null",
  where: "a.before ~ $2 or a.after ~ $2 or starts_with(a.message, $3)",
};

/** Whole images can be long. */
const images: Steps = {
  table: "action_images",
  key: actionKey,
  rowsAtOnce: 200,
  where: "a.before ~ $2 or a.after ~ $2",
};

/** A request that still waits for a forgotten thing could not be carried out. */
const approvals: Steps = {
  table: "approvals",
  key: { id: "uuid" },
  rowsAtOnce: 200,
  where: "a.before ~ $2 or a.after ~ $2 or a.outcome ~ $3",
};

const replies: Steps = {
  table: "inbox",
  key: { command_id: "uuid" },
  rowsAtOnce: 2_000,
  set: "reply = $3",
  where: "a.reply ~ $2",
};

const formerMembers = (table: "habits" | "todos"): Steps => ({
  table,
  key: { id: "bigint" },
  rowsAtOnce: 2_000,
  set: "former_category_id = null",
  where: "a.former_category_id = $2::bigint",
});

const daysOf = (table: "habit_completions" | "habit_amounts"): Steps => ({
  table,
  key: { habit_id: "bigint", local_date: "date" },
  rowsAtOnce: 5_000,
  where: "a.habit_id = $2::bigint",
});

/** A user can have many rows, so one statement over all of them would take too long. */
async function inSteps(
  connection: Queryable,
  userId: string,
  { table, key, rowsAtOnce, set, where }: Steps,
  values: readonly unknown[],
): Promise<void> {
  const columns = Object.keys(key);
  const listed = (form: (column: string) => string) => columns.map(form).join(", ");
  const place = Object.values(key).map((type, index) => `$${values.length + 2 + index}::${type}`);
  const change = set === undefined ? `delete from ${table} a using` : `update ${table} a set ${set} from`;
  const step = `
    with these as (
      select ${columns.join(", ")} from ${table}
      where user_id = $1 and (${columns.join(", ")}) > (${place.join(", ")})
      order by ${columns.join(", ")} limit ${rowsAtOnce}
    ), forgotten as (
      ${change} these where a.user_id = $1 and (${where})
        and (${listed((column) => `a.${column}`)}) = (${listed((column) => `these.${column}`)})
    )
    select ${columns.join(", ")} from these order by ${listed((column) => `${column} desc`)} limit 1`;
  let last: unknown[] | undefined = Object.values(key).map((type) => firsts[type]);
  while (last) {
    const { rows }: { rows: object[] } = await connection.query(step, [userId, ...values, ...last]);
    last = rows[0] && Object.values(rows[0]);
  }
}
