import { afterAll } from "bun:test";
import { createDispatch } from "../../../../api/mailbox/dispatch.ts";
import { createDispatchGroup } from "../../../../api/mailbox/dispatch-group.ts";
import { seenTables } from "../../../../shared/domain/action/image-fields.ts";
import { isRefused } from "../../../../shared/errors.ts";
import type { Outcome } from "../../../../shared/queue/batch.ts";
import type { OperationName } from "../../../../shared/queue/group.ts";
import { useStack } from "../../../harness.ts";
import { openPageDoor } from "../../../support/page-door.ts";
import type { Who } from "./acts.ts";
import type { Row } from "./memory.ts";
import type { System } from "./world.ts";

const keys: Readonly<Record<string, readonly string[]>> = {
  habit_completions: ["habit_id", "local_date"],
  habit_amounts: ["habit_id", "local_date"],
  reminders: ["todo_id"],
};

/** Worlds of new users on the real service, below its doors. */
export async function openWorlds() {
  const door = await openPageDoor(await useStack(), 20);
  const { database, mailbox, serverClock } = door;
  afterAll(() => door.close());
  return {
    newWorld(): System {
      const userId = crypto.randomUUID();
      const clock = { now: 0 };
      const by = (door: Who) => ({
        door,
        requestId: Bun.randomUUIDv7(),
        tokenId: door === "page" ? "" : door,
        clientName: null,
      });
      const dispatch = createDispatch(mailbox, database, serverClock, () => clock.now);
      const dispatchGroup = createDispatchGroup(mailbox, database, serverClock, () => clock.now);
      const select = async (table: string): Promise<Row[]> => {
        const own = `select * from ${table} where user_id = $1 order by 1, 2, 3`;
        return (await database.pool.query(own, [userId])).rows;
      };
      const nameOf = (table: string, row: Row) =>
        [table, ...(keys[table] ?? ["id"]).map((column) => row[column])].join("/");
      const named = async (table: string): Promise<[string, Row][]> =>
        (await select(table)).map((row) => [nameOf(table, row), row]);
      return {
        clock,
        async rows() {
          const rows = new Map((await Promise.all(seenTables.map(named))).flat());
          // Completions of a deleted habit stay for an undo, but nobody sees them.
          for (const [name, { habit_id }] of rows)
            if (habit_id != null && !rows.has(`habits/${habit_id}`)) rows.delete(name);
          return rows;
        },
        log: () => select("action_log"),
        user: async () => (await select("users"))[0],
        ring() {},
        async send(who, { name, input, preview }) {
          const call = { ...by(who), tool: name, arguments: "{}", startedAt: clock.now };
          const sender = who === "mcp" ? call : by(who);
          const idempotencyKey = preview ? undefined : crypto.randomUUID();
          const request = { name, input, preview, by: sender, idempotencyKey };
          return insist(async () => (await dispatch({ userId }, request)).outcome);
        },
        async sendGroup(requests, atomic) {
          const operations = requests.map(({ name, input }, index) => ({
            ...{ index, name: name as OperationName, input: { ...input }, references: {}, after: [] },
          }));
          const group = { atomic, operations, by: by("rest"), idempotencyKey: crypto.randomUUID() };
          const ends = await insist(() => dispatchGroup({ userId }, group));
          if (isRefused(ends)) throw new Error(ends.refusal.message);
          return ends.map((end): Outcome => end.outcome);
        },
      };
    },
  };
}

/** Asks again when the service was too busy. */
async function insist<Answer extends object>(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await send();
    if (!(isRefused(answer) && answer.refusal.code === "overloaded")) return answer;
  }
}
