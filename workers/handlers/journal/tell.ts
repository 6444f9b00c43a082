import { commands } from "../../../shared/contracts/catalogue.ts";
import { events } from "../../../shared/domain/journal/events.ts";
import type { QueuedCommand } from "../../../shared/queue/batch.ts";
import { entriesOf, type State } from "../../unit-of-work/state.ts";
import type { HandlerContext } from "../handler.ts";

/** Adds the events that a carried-out command declares to the account journal, in its transaction. */
export function tellJournal({ journal }: HandlerContext, { id, name, input, call }: QueuedCommand): void {
  const told = commands[name].events?.(input as never) ?? [];
  const client = call && call.tokenId !== "" ? { client: call.clientName ?? call.tokenId } : {};
  for (const [index, { kind, details, subject = "", times = 1 }] of told.entries()) {
    const { most, period } = events[kind];
    journal.push({
      id: `${id} ${index}`,
      kind,
      details: { ...details, ...client },
      most,
      period,
      subject,
      times,
    });
  }
}

/** The events of a transaction, for the security log. */
export const toldIn = (state: State) =>
  [...entriesOf(state, "journal").values()].flatMap(({ row }) => row ?? []);
