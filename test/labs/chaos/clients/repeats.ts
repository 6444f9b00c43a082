import { patiently } from "../../../support/patiently.ts";
import type { Violation } from "../evidence.ts";
import { conclusionOf, describe, isWrite } from "../history.ts";
import type { Client } from "./client.ts";
import { attempt } from "./wire.ts";

const most = 200;

/**
 * Repeats the last acknowledged operations of every client under their keys at the end: each must get its outcome
 * again, marked as a repeat.
 */
export async function checkRepeats(clients: readonly Client[]): Promise<Violation[]> {
  const each = Math.ceil(most / clients.length);
  const checked = await Promise.all(clients.map((client) => repeatLast(client, each)));
  return checked.flat();
}

async function repeatLast({ number, history, caller, random }: Client, count: number): Promise<Violation[]> {
  const done = history.operations.flatMap((operation) => {
    const told = conclusionOf(operation);
    const isOwn = operation.client === number && operation.key !== undefined && isWrite(operation);
    return isOwn && told.verdict === "done" ? [{ operation, told }] : [];
  });
  const wrong: Violation[] = [];
  for (const { operation, told } of done.slice(-count)) {
    const { answer } = await patiently(
      () => attempt(caller, operation, random.between(0, 1)),
      ({ answer }) => answer.verdict === "no",
    );
    const isSame =
      answer.verdict === "done" &&
      answer.replayed &&
      JSON.stringify(answer.resource) === JSON.stringify(told.resource);
    const sentence = `A repeat in the end was answered ${JSON.stringify(answer)}: ${describe(operation)}.`;
    if (!isSame) wrong.push({ kind: "repeat", sentence });
  }
  return wrong;
}
