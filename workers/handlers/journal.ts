import { commands } from "../../shared/contracts/catalogue.ts";
import type { CommandContract } from "../../shared/contracts/kernel/contract.ts";
import { type AccountEvent, events } from "../../shared/domain/journal/events.ts";
import type { SecurityLog } from "../../shared/process/observe/security-log.ts";
import type { QueuedCommand } from "../../shared/queue/batch.ts";
import { entriesOf, type State } from "../unit-of-work/state.ts";
import type { Handler, HandlerContext } from "./handler.ts";
import { newDelivery } from "./reminder.ts";

/** Adds the events that a carried-out command declares to the account journal, in its transaction. */
export function addEvents(context: HandlerContext, command: QueuedCommand): void {
  const contract: CommandContract = commands[command.name];
  const declared = contract.events?.(Object.assign({}, command.input)) ?? [];
  for (const [index, event] of declared.entries()) context.journal.insert(entryOf(command, event, index));
}

function entryOf({ id, call }: QueuedCommand, event: AccountEvent, index: number) {
  const { kind, details, subject = "", times = 1 } = event;
  const { most, period, told } = events[kind];
  const client = call && call.tokenId !== "" ? { client: call.clientName ?? call.tokenId } : {};
  const facts = { details: { ...details, ...client }, subject, times };
  return { id: `${id} ${index}`, kind, ...facts, most, period, told: told !== null };
}

/** Logs the events of a committed transaction for operators. */
export function logEvents(security: SecurityLog, state: State): void {
  for (const { row } of entriesOf(state, "journal").values())
    if (row && !row.isOld) security({ kind: row.kind, user: row.user_id, times: row.times });
}

/** The journal's row follows from the contract. */
export const journalNote: Handler<"journal.export" | "journal.count-use"> = { run: () => null };

/** The message is a delivery like a due reminder; a person without a channel has no other way to learn of it. */
export const journalSend: Handler<"journal.send"> = {
  run({ deliveries, acceptedAt, now }, said) {
    deliveries.insert(newDelivery({ acceptedAt, now }, { about: "account", said }));
    return null;
  },
};
