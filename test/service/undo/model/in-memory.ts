import { randomUUIDv7 } from "bun";
import { type Outcome, readEnds } from "../../../../shared/queue/batch.ts";
import { indexedId } from "../../../../shared/queue/command-id.ts";
import type { OperationName } from "../../../../shared/queue/group.ts";
import type { Who } from "./acts.ts";
import type { Request } from "./inputs.ts";
import { createMemory, type Row, userId } from "./memory.ts";
import { isChange, type System } from "./world.ts";

const tokens: Readonly<Record<Who, string>> = { mcp: "token-1", rest: "token-2", page: "" };

/** A world on rows in memory. */
export function inMemory(): System & Readonly<{ traffic(): number }> {
  const clock = { now: 0 };
  const memory = createMemory(clock);
  const command = (who: Who, { name, input, preview }: Request) => ({
    ticket: 0,
    id: randomUUIDv7(),
    userId,
    name,
    // Redis carries no prototypes, which generators give to objects.
    input: JSON.parse(JSON.stringify(input)),
    fingerprint: null,
    acceptedAt: clock.now,
    sentAt: clock.now,
    ...(preview && { preview }),
    call: {
      requestId: randomUUIDv7(),
      door: who,
      tokenId: tokens[who],
      clientName: null,
      tool: name,
      arguments: "{}",
      startedAt: clock.now,
    },
  });
  return {
    clock,
    rows: async () => memory.rows(),
    log: async () => memory.log(),
    user: async () => memory.user(),
    traffic: memory.traffic,
    ring: () => memory.ring(),
    send: async (who, request) => (await memory.run(command(who, request))).outcome,
    async sendGroup(requests, atomic) {
      const group = command("rest", { name: "batch.run", input: {} });
      const operations = requests.map(({ name, input }, index) => ({
        ...{
          index,
          id: indexedId(userId, group.id, index),
          name: name as OperationName,
          input: { ...input },
        },
        ...{ fingerprint: null, references: {}, after: [] },
      }));
      const { outcome } = await memory.runGroup(group, { atomic, operations });
      const ends = "body" in outcome ? readEnds(outcome.body) : undefined;
      if (!ends) throw new Error("a group is answered with the ends of its operations");
      return ends.map((end): Outcome => end.outcome);
    },
  };
}

/** A life of one habit through the handlers, from an instant on. */
export async function liveHabit(start: number, fields: object) {
  const place = inMemory();
  place.clock.now = start;
  const send = async (name: string, input: Row): Promise<Row> => {
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
    send: (verb: string, input: Row = {}) => send(`habit.${verb}`, { habit_id, ...input }),
    /** The changes that stand, oldest first. */
    changes: async (): Promise<Row[]> =>
      (await place.log())
        .filter((row) => isChange(row) && row.undone_by == null)
        .map(({ called_at, request_id }) => ({ called_at, request_id })),
    async undo(action: Row | undefined): Promise<unknown> {
      const { ends } = (await send("action.undo", { actions: [action] })) as { ends: { undone: string }[] };
      return ends[0]?.undone;
    },
  };
}
