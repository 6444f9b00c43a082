import { sql } from "kysely";
import { timestamp } from "../../shared/domain/timestamp.ts";
import type { QueryHandler } from "./context.ts";

const defaultLimit = 50;

export const list: QueryHandler<"action.list"> = async ({ db, userId }, input) => {
  const { token_id, tool, outcome, from, to, cursor, limit = defaultLimit } = input;
  let own = db.selectFrom("action_log").where("user_id", "=", userId);
  if (token_id !== undefined) own = own.where("token_id", "=", token_id);
  if (tool !== undefined) own = own.where("tool", "=", tool);
  if (outcome !== undefined) own = own.where("outcome", "=", outcome);
  if (from !== undefined) own = own.where("called_at", ">=", from);
  if (to !== undefined) own = own.where("called_at", "<", to);
  if (cursor !== undefined) own = own.where(isBefore(cursor));
  const rows = await own
    .selectAll()
    .orderBy("called_at", "desc")
    .orderBy("request_id", "desc")
    .limit(limit + 1)
    .execute();
  const actions = rows.slice(0, limit).map(({ user_id: _, called_at, client_name, duration_ms, ...row }) => ({
    ...row,
    duration_ms: Number(duration_ms),
    client_name: client_name ?? null,
    called_at: timestamp(called_at),
  }));
  const last = rows.length > limit ? actions.at(-1) : undefined;
  return { actions, next_cursor: last ? `${last.called_at}_${last.request_id}` : null };
};

function isBefore(cursor: string) {
  const [calledAt, requestId] = cursor.split("_");
  return sql<boolean>`(called_at, request_id) < (${calledAt}::timestamptz, ${requestId}::uuid)`;
}

/** Jumps from token to token along the index: a long log costs no more than a short one. */
export const tokens: QueryHandler<"action.tokens"> = async ({ db, userId }) => {
  const { rows } = await sql<{ token_id: string; client_name: string | null; called_at: string }>`
    with recursive seen as (
      (select token_id, client_name, called_at from action_log where user_id = ${userId}
       order by token_id, called_at desc, request_id desc limit 1)
      union all
      select next.* from seen, lateral (
        select token_id, client_name, called_at from action_log
        where user_id = ${userId} and token_id > seen.token_id
        order by token_id, called_at desc, request_id desc limit 1
      ) next
    )
    select * from seen order by called_at desc, token_id`.execute(db);
  return {
    tokens: rows.map(({ called_at, ...row }) => ({ ...row, last_called_at: timestamp(called_at) })),
  };
};
