import type { Commands, InputOf } from "../../../shared/contracts/catalogue.ts";
import { deletionKinds } from "../../../shared/db/entities/deletion.ts";
import type { ResourceKind } from "../../../shared/domain/vocabulary.ts";
import { refuse } from "../../../shared/errors.ts";
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
  await forgetActions(connection, userId, { kind, id, named });
  await connection.query(`delete from action_images where user_id = $1 and (before ~ $2 or after ~ $2)`, [
    userId,
    named,
  ]);
  await connection.query(`update inbox set reply = $3 where user_id = $1 and reply ~ $2`, [
    userId,
    `"id":${id},${answer}`,
    JSON.stringify(refuse("not_found", "This was deleted and then forgotten.")),
  ]);
  await connection.query(
    `update deletions set completed_dates = null, completed_times = null, habit_ids = null, todo_ids = null
     where user_id = $1 and kind = $2 and id = $3`,
    [userId, deletion, id],
  );
}

/** How many rows of a log one statement looks at. */
const rowsAtOnce = 5_000;

const forgetSome = `
  with these as (
    select called_at, request_id from action_log
    where user_id = $1 and (called_at, request_id) > ($2::timestamptz, $3::uuid)
    order by called_at, request_id limit ${rowsAtOnce}
  ), forgotten as (
    update action_log a set resource_name = null, arguments = '{}', message = null, before = null, after = null
    from these t where a.user_id = $1 and a.called_at = t.called_at and a.request_id = t.request_id
      and (a.resource_kind = $4 and a.resource_id = $5 or a.before ~ $6 or a.after ~ $6)
  )
  select called_at, request_id from these order by called_at desc, request_id desc limit 1`;

type Place = { called_at: string; request_id: string };

async function forgetActions(
  connection: Queryable,
  userId: string,
  { kind, id, named }: Forgotten & { named: string },
): Promise<void> {
  let place: Place | undefined = {
    called_at: "-infinity",
    request_id: "00000000-0000-0000-0000-000000000000",
  };
  while (place) {
    const values: unknown[] = [userId, place.called_at, place.request_id, kind, id, named];
    const found: { rows: Place[] } = await connection.query<Place>(forgetSome, values);
    place = found.rows[0];
  }
}
