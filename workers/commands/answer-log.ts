import type { Log } from "../../shared/process/log.ts";
import type { Reply } from "../../shared/queue/batch.ts";
import { codeOf } from "./command-metrics.ts";
import type { ReceivedBatch } from "./received.ts";
import { requestOf } from "./request-of.ts";

/** Logs each answer with the id of its request, at the level `debug`: at any other, it must cost nothing. */
export function createAnswerLog(log: Log): (batch: ReceivedBatch, replies: readonly Reply[]) => void {
  if (!log.isLevelEnabled("debug")) return () => {};
  return ({ id: batch, commands, receivedAt }, replies) => {
    const byTicket = new Map(commands.map((command) => [command.ticket, command]));
    const ms = Math.round(performance.now() - receivedAt);
    for (const { ticket, outcome, replayed } of replies) {
      const command = byTicket.get(ticket);
      if (!command) continue;
      const request_id = requestOf(command)?.requestId;
      log.debug(
        { request_id, command: command.name, batch, outcome: codeOf(outcome), replayed, ms },
        "answered",
      );
    }
  };
}
