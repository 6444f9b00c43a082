import type { Violation } from "../evidence.ts";
import { conclusionOf, describe, isWrite, type Operation } from "../history.ts";
import type { Client } from "./client.ts";
import { attempt } from "./wire.ts";

const most = 200;

/**
 * Repeats the last acknowledged operations of every client under their keys at the end: each must get its outcome
 * again, marked as a repeat.
 */
export async function checkRepeats(clients: readonly Client[]): Promise<Violation[]> {
  const each = Math.ceil(most / clients.length);
  const checked = await Promise.all(
    clients.map(async (client) => {
      const acknowledged = client.history.operations
        .filter((operation) => operation.client === client.number && isKeyedAndDone(operation))
        .slice(-each);
      const wrong: Violation[] = [];
      for (const operation of acknowledged) wrong.push(...(await repeat(client, operation)));
      return wrong;
    }),
  );
  return checked.flat();
}

const isKeyedAndDone = (operation: Operation): boolean =>
  operation.key !== undefined && isWrite(operation) && conclusionOf(operation).verdict === "done";

async function repeat({ caller, random }: Client, operation: Operation): Promise<Violation[]> {
  const first = conclusionOf(operation);
  const { answer } = await attempt(caller, operation, random.between(0, 1));
  if (first.verdict !== "done") return [];
  const same =
    answer.verdict === "done" && JSON.stringify(answer.resource) === JSON.stringify(first.resource);
  if (same && answer.replayed) return [];
  const sentence = `A repeat in the end was answered ${JSON.stringify(answer)}: ${describe(operation)}.`;
  return [{ kind: "repeat", sentence }];
}
