import type { QueuedCommand } from "../../../../shared/queue/batch.ts";
import { keyedId } from "../../../../shared/queue/command-id.ts";
import { messagesFor } from "../../../handlers/approval.ts";
import type { BatchTimes } from "../../../unit-of-work/batch-times.ts";
import { forUpdate, withoutLock } from "../../../unit-of-work/row-request.ts";
import type { CommandToRun } from "../../received.ts";
import type { NeededRow } from "../left-out.ts";

/** The rows by which a request is judged, if its token has rules. A lock on them counts its changes exactly. */
export function ruleRows(work: readonly CommandToRun[], { users }: BatchTimes): NeededRow[] {
  return unitsOf(work).flatMap((unit) => {
    const [{ command }] = unit;
    const token = command.call?.tokenId ?? "";
    if (!users.get(command.userId)?.ruled_tokens.includes(token)) return [];
    const rows = [
      forUpdate("token_rules", token),
      ...withoutLock("ruled_tokens", token),
      ...withoutLock("approvals", approvalIdOf(unit)),
      ...messagesFor(command).flatMap(({ id }) => withoutLock("reminder_deliveries", id)),
    ];
    return rows.map((row) => ({ ...row, userId: command.userId, command }));
  });
}

/** The commands of a request: one, or all of a group. */
export type Unit<Work = CommandToRun> = readonly [Work, ...Work[]];

function unitsOf(work: readonly CommandToRun[]): Unit[] {
  const [first, ...others] = work;
  if (!first) return [];
  return first.inGroup ? [[first, ...others]] : work.map((one): Unit => [one]);
}

/** The same request under the same key has one approval, also when its key is forgotten. */
export function approvalIdOf([first, ...others]: Unit<Readonly<{ command: QueuedCommand }>>): string {
  const { id, fingerprint } = first.command;
  if (fingerprint === null) return id;
  return keyedId(id, [fingerprint, ...others.map(({ command }) => command.fingerprint)].join(" "));
}
