import { randomUUIDv7 } from "bun";
import type { Outcome } from "../../../../shared/queue/batch.ts";
import { indexedId } from "../../../../shared/queue/command-id.ts";
import type { OperationName } from "../../../../shared/queue/group.ts";
import { readEnds } from "../../../../shared/queue/group-end.ts";
import type { Who } from "./acts.ts";
import type { Request } from "./inputs.ts";
import { createMemory, userId } from "./memory.ts";
import type { System } from "./world.ts";

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
    input,
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
