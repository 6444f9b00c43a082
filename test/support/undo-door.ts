import { expect } from "bun:test";
import type { JsonBody, Stack } from "../harness.ts";
import { newcomer } from "./mcp.ts";
import { openPageDoor } from "./page-door.ts";

export type Row = Record<string, JsonBody>;
export type ActionKey = Readonly<{ called_at: string; request_id: string }>;

const seen = ["categories", "habits", "habit_completions", "habit_amounts", "todos", "reminders"];

/** Completions of a deleted habit stay for an undo, but nobody sees them. */
const seenOf = (table: string): string =>
  table === "habit_completions" || table === "habit_amounts"
    ? `(select c.* from ${table} c join habits h on h.user_id = c.user_id and h.id = c.habit_id) t`
    : table;

/** Makes people with two agents each, shows all that is stored for them, and undoes actions as the account pages do. */
export async function openUndoDoor(stack: Stack) {
  const page = await openPageDoor(stack);
  return {
    page,
    async someone(name = "Claude") {
      const sub = crypto.randomUUID();
      const [mine, other] = await Promise.all([
        newcomer(stack, { sub, jti: `${sub}-1`, client_name: name }),
        newcomer(stack, { sub, jti: `${sub}-2`, client_name: "Another" }),
      ]);
      const rows = async (sql: string): Promise<Row[]> => (await page.pool.query(sql, [sub])).rows;
      return {
        sub,
        agent: mine,
        rest: mine.rest,
        other: other.rest,
        /** All visible rows, without columns that an undo may change. */
        async world() {
          const all: Record<string, readonly Row[]> = {};
          for (const table of seen) {
            const found = await rows(`select * from ${seenOf(table)} where user_id = $1 order by 1, 2, 3`);
            all[table] = found.map(({ updated_at: _, changed_by: __, changed_xid: ___, ...row }) => row);
          }
          return all;
        },
        log: () => rows(`select * from action_log where user_id = $1 order by called_at, request_id`),
        changes: (after = 0) =>
          rows(`select called_at, request_id from action_log where user_id = $1 and undone_by is null
            and (before is not null or after is not null) order by called_at desc, request_id desc`).then(
            (found) => found.slice(0, found.length - after) as ActionKey[],
          ),
        undo: async (actions: readonly ActionKey[], preview = false): Promise<Row[]> => {
          const answer = await page.send(sub, "action.undo", { actions }, preview);
          return answer.ends ?? [answer];
        },
      };
    },
  };
}

export const whole = (count: number) =>
  Array.from({ length: count }, () => expect.objectContaining({ undone: "whole" }));
