import { expect } from "bun:test";
import { type JsonBody, type Stack, useStack } from "../harness.ts";
import { newcomer } from "./mcp.ts";

export type Row = Record<string, JsonBody>;
export type ActionKey = Readonly<{ called_at: string; request_id: string }>;

const seen = ["categories", "habits", "habit_completions", "habit_amounts", "todos", "reminders"];

/** Completions of a deleted habit stay for an undo, but nobody sees them. */
const seenOf = (table: string): string =>
  table === "habit_completions" || table === "habit_amounts"
    ? `(select c.* from ${table} c join habits h on h.user_id = c.user_id and h.id = c.habit_id) t`
    : table;

/**
 * Makes people with two agents each, on the stack of this process if none is given, shows all that is stored for them,
 * and undoes actions as the account pages do.
 */
export async function useUndoDoor(given?: Stack) {
  const stack = given ?? (await useStack());
  const page = await stack.page();
  return {
    page,
    async someone(claims: object = {}) {
      const sub = crypto.randomUUID();
      const [mine, other] = await Promise.all([
        newcomer(stack, { sub, jti: `${sub}-1`, client_name: "Claude", ...claims }),
        newcomer(stack, { sub, jti: `${sub}-2`, client_name: "Another" }),
      ]);
      const key = crypto.randomUUID();
      const rows = async (sql: string): Promise<Row[]> => (await page.pool.query(sql, [sub])).rows;
      /** The changes that stand, newest first. */
      const changes = async (): Promise<ActionKey[]> =>
        (await rows(`select called_at, request_id from action_log where user_id = $1 and undone_by is null
          and (before is not null or after is not null) order by called_at desc, request_id desc`)) as ActionKey[];
      return {
        sub,
        agent: mine,
        rest: mine.rest,
        other: other.rest,
        /** Requests of the first agent under one idempotency key. */
        once: (method: string, path: string, body: object) => mine.rest(method, path, body, key),
        /** All visible rows, without columns that an undo may change. */
        world: async (): Promise<Readonly<Record<string, readonly Row[]>>> =>
          Object.fromEntries(
            await Promise.all(
              seen.map(async (table) => {
                const found = await rows(
                  `select * from ${seenOf(table)} where user_id = $1 order by 1, 2, 3`,
                );
                return [table, found.map(withoutStamps)];
              }),
            ),
          ),
        log: () => rows(`select * from action_log where user_id = $1 order by called_at, request_id`),
        changes,
        /** The newest change, or the one so many before it. */
        last: async (back = 0) => (await changes()).slice(back, back + 1),
        undo: async (actions: readonly object[], preview = false): Promise<Row[]> => {
          const answer = await page.send(sub, "action.undo", { actions }, preview);
          return answer.ends ?? [answer];
        },
      };
    },
  };
}

const withoutStamps = ({ updated_at: _, changed_by: __, changed_xid: ___, ...row }: Row): Row => row;

export const whole = (count: number) =>
  Array.from({ length: count }, () => expect.objectContaining({ undone: "whole" }));
