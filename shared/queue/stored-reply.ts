import { type CommandName, commands } from "../contracts/catalogue.ts";
import { fieldsOfEach } from "../contracts/kernel/many.ts";
import { parseWithTexts, shareTexts } from "../domain/action/shared-texts.ts";
import type { Today } from "../domain/day/day.ts";
import { keyTaken } from "../errors.ts";
import { isToolCall, type Outcome, type QueuedCommand } from "./batch.ts";

/** A reply as the inbox keeps it: the outcome and, with an idempotency key, the user's day of the first run. */
export const storedReplyOf = (name: CommandName, outcome: Outcome, today: Today | undefined): string =>
  toStored({ ...withoutSecret(name, outcome), ...(today && { today }) });

function withoutSecret(name: CommandName, outcome: Outcome): Outcome {
  const { secretField } = commands[name];
  if (secretField === undefined || !("body" in outcome)) return outcome;
  return { body: { ...(outcome.body as object), [secretField]: null } };
}

const toStored = (kept: object): string => shareTexts(kept, JSON.stringify(kept));

type Seen = Readonly<{ fingerprint: string; reply: string }>;
type Repeat = Pick<QueuedCommand, "name" | "input" | "fingerprint" | "call">;
type Replay = Readonly<{ outcome: Outcome; today?: Today | undefined; isSame: boolean }>;

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
  const { today, ...outcome } = parseWithTexts(reply) as Outcome & { today?: Today };
  if (today && meansToday(command) && dateNow(today) !== today.date)
    return { outcome: keyTaken(isFromTool, today.date), isSame: false };
  return { outcome, today, isSame: true };
}

const meansToday = ({ name, input }: Repeat): boolean => {
  const { dayField } = commands[name];
  return (
    dayField !== undefined && fieldsOfEach(input as object).some((fields) => fields[dayField] === undefined)
  );
};
