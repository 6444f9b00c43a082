import { afterAll } from "bun:test";
import { createDispatch, createDispatchGroup } from "../../../../api/mailbox/dispatch.ts";
import { seenTables } from "../../../../shared/domain/action/image-fields.ts";
import { isRefused } from "../../../../shared/errors.ts";
import type { Outcome } from "../../../../shared/queue/batch.ts";
import type { OperationName } from "../../../../shared/queue/group.ts";
import { useStack } from "../../../harness.ts";
import { openPageDoor } from "../../../support/page-door.ts";
import type { Who } from "./acts.ts";
import type { Row } from "./inputs.ts";
import { type ActionKey, isChange, keyOf, reading, type System } from "./world.ts";

const keys: Readonly<Record<string, readonly string[]>> = {
  habit_completions: ["habit_id", "local_date"],
  habit_amounts: ["habit_id", "local_date"],
  reminders: ["todo_id"],
};

/** Opens the way to worlds of new users on the service, below its doors. */
export async function openWorlds(): Promise<() => System> {
  const door = await openPageDoor(await useStack(), 20);
  const { database, mailbox, serverClock } = door;
  afterAll(() => door.close());
  return () => {
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
    return {
      clock,
      async rows() {
        const rows = new Map<string, Row>();
        for (const table of seenTables)
          for (const row of await select(table)) rows.set(nameOf(table, row), row);
        // Completions of a deleted habit stay for an undo, but nobody sees them.
        for (const [name, { habit_id }] of rows)
          if (habit_id != null && !rows.has(`habits/${habit_id}`)) rows.delete(name);
        return rows;
      },
      log: () => select("action_log"),
      user: async () => (await select("users"))[0],
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
  };
}

/** Asks again when the service was too busy. */
async function insist<Answer extends object>(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await send();
    if (!(isRefused(answer) && answer.refusal.code === "overloaded")) return answer;
  }
}

/** A life of one habit, from an instant on. */
export async function liveHabit(world: System, start: number, fields: object) {
  const place = reading(world);
  place.clock.now = start;
  const send = async (name: string, input: object): Promise<Row> => {
    place.clock.now += 1_000;
    const outcome = await place.send(name === "action.undo" ? "page" : "mcp", { name, input } as never);
    return "body" in outcome ? ((outcome.body ?? {}) as Row) : {};
  };
  const { id: habit_id } = await send("habit.create", { name: "Run", type: "good", ...fields });
  return {
    place,
    habit: async (): Promise<Row> => (await place.rows()).get(`habits/${habit_id}`) ?? {},
    today: () => new Date(place.clock.now).toISOString().slice(0, 10),
    /** Sends a command about the habit. */
    send: (verb: string, input: object = {}) => send(`habit.${verb}`, { habit_id, ...input }),
    /** The changes that stand, oldest first. */
    changes: async (): Promise<ActionKey[]> =>
      (await place.log()).filter((row) => isChange(row) && row.undone_by == null).map(keyOf),
    async undo(action: ActionKey | undefined): Promise<unknown> {
      const { ends } = (await send("action.undo", { actions: [action] })) as { ends: { undone: string }[] };
      return ends[0]?.undone;
    },
  };
}
