import { commands } from "../contracts/catalogue.ts";
import type { ActionInput } from "../contracts/group/contracts.ts";
import type { CommandContract } from "../contracts/kernel/contract.ts";
import { parseWithTexts } from "../domain/action/images.ts";
import type { Today } from "../domain/day/day.ts";
import { isRefused, keyTaken } from "../errors.ts";
import { isToolCall, type Outcome, type QueuedCommand, type Reply } from "./batch.ts";

export const parseReply = (stored: string) =>
  parseWithTexts(stored) as Outcome & Pick<Reply, "today" | "former">;

type Seen = Readonly<{ fingerprint: string; reply: string }>;
type Repeat = Pick<QueuedCommand, "name" | "input" | "fingerprint" | "call">;
type Replay = Readonly<{ outcome: Outcome; isSame: boolean }> & Partial<Pick<Reply, "today" | "former">>;

/**
 * Answers a command whose id is known: with the stored reply, or with a refusal if its key belongs to another
 * request. Without a date, "today" on another day is another request.
 * @param dateNow the user's day of this command
 */
export function replayStored(
  { fingerprint, reply }: Seen,
  command: Repeat,
  dateNow: (of: Today) => string,
): Replay {
  const isFromTool = isToolCall(command.call);
  if (fingerprint !== (command.fingerprint ?? "")) return { outcome: keyTaken(isFromTool), isSame: false };
  const { today, former, ...outcome } = parseReply(reply);
  if (today && meansToday(command) && dateNow(today) !== today.date)
    return { outcome: keyTaken(isFromTool, today.date), isSame: false };
  return { outcome, isSame: true, ...(today && { today }), ...(former && { former }) };
}

const contracts: Readonly<Record<string, CommandContract>> = commands;

/** True if a command, or a change of one action, leaves open of which day it is. */
function meansToday({ name, input }: Readonly<{ name: string; input: unknown }>): boolean {
  const { dayField = "" } = contracts[name] ?? {};
  const fields: Readonly<Record<string, unknown>> & Partial<ActionInput> = Object.assign({}, input);
  const { [dayField]: day, operations = [] } = fields;
  if (dayField !== "") return day === undefined;
  return operations.some((one) => !isRefused(one) && meansToday(one));
}
