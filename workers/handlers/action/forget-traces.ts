import type { Commands, InputOf } from "../../../shared/contracts/catalogue.ts";
import { deletionKinds } from "../../../shared/db/entities/deletion.ts";
import type { ResourceKind } from "../../../shared/domain/vocabulary.ts";
import { refuse } from "../../../shared/errors.ts";
import { measureSoon } from "../../unit-of-work/bytes/measure.ts";
import type { Queryable } from "../../unit-of-work/connection.ts";

type Forgotten = InputOf<Commands["action.forget"]>;

/** How the rows of a thing are named in images, and how its JSON begins in an answer, where its id stands first. */
const shapes: Readonly<Record<ResourceKind, Readonly<{ rows: string; answer: string; deletion: number }>>> = {
  todo: { rows: "(todos|reminders)", answer: `"title":`, deletion: deletionKinds.todos },
  habit: {
    rows: "(habits|habit_completions)",
    answer: `"name":"([^"\\\\]|\\\\.)*","type":`,
    deletion: deletionKinds.habits,
  },
  category: {
    rows: "categories",
    answer: `"name":"([^"\\\\]|\\\\.)*","color":`,
    deletion: deletionKinds.categories,
  },
};

/** Overwrites what the log, the stored answers and the notes of deletions say of a thing. */
export async function forgetTraces(
  connection: Queryable,
  userId: string,
  { kind, id }: Forgotten,
): Promise<void> {
  const { rows, answer, deletion } = shapes[kind];
  const named = `"${rows}/${id}[/"]`;
  await inSteps(connection, userId, actions, [kind, id, named]);
  await inSteps(connection, userId, images, [named]);
  const forgotten = JSON.stringify(refuse("not_found", "This was deleted and then forgotten."));
  await inSteps(connection, userId, replies, [`"id":${id},${answer}`, forgotten]);
  if (kind === "category") {
    await inSteps(connection, userId, callsWithName, [`"category_id":${id}[,}]`, listOfNames]);
    await inSteps(connection, userId, replies, [listOfNames, forgotten]);
  }
  await connection.query(
    `update deletions set completed_dates = null, completed_times = null, habit_ids = null, todo_ids = null
     where user_id = $1 and kind = $2 and id = $3`,
    [userId, deletion, id],
  );
  await measureSoon(connection, userId);
}

/** How the refusal of a name that no category has begins, which lists the others. */
const listOfNames = "The category field must name a category: ";

/** One table, of which a statement looks at so many rows of a user, in the order of their key. */
type Steps = Readonly<{
  table: string;
  key: Readonly<Record<string, Readonly<{ type: string; first: string }>>>;
  rowsAtOnce: number;
  /** Sent with the table as `a` and the rows of the step as `these`; its first parameter has the given number. */
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

/** An agent may have called the category by its name, and may have been told it. */
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

const replies: Steps = {
  table: "inbox",
  key: { command_id: firstId },
  rowsAtOnce: 2_000,
  change: (first) => `
    update inbox a set reply = $${first + 1} from these
    where a.user_id = $1 and a.command_id = these.command_id and a.reply ~ $${first}`,
};

/** A user can have many rows, and one statement over all of them would run out of its time. */
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
