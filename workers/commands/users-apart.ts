import { inTurns } from "../unit-of-work/in-turns.ts";
import type { OnLocked } from "../unit-of-work/load.ts";
import type { RunContext } from "./attempt.ts";
import type { ReceivedCommand } from "./received.ts";
import { type RunResult, runCommands } from "./retries.ts";

const usersAtOnce = 4;

/**
 * Runs commands of several users: together where one server has all rows. On Citus each user gets a transaction, which
 * then is on one server and needs no commit in two phases.
 */
export async function runForUsers(
  context: RunContext,
  received: readonly ReceivedCommand[],
  onLocked: OnLocked,
): Promise<RunResult> {
  if (context.engine === "postgres") return runCommands(context, received, onLocked);
  const users = [...Map.groupBy(received, ({ command }) => command.userId).values()];
  const results = await inTurns(users, usersAtOnce, (some) => runCommands(context, some, onLocked));
  return {
    replies: results.flatMap(({ replies }) => replies),
    lockedElsewhere: results.flatMap(({ lockedElsewhere }) => lockedElsewhere),
  };
}
