import { isRefused } from "../../shared/errors.ts";
import type { Actor } from "../mailbox/actor.ts";
import { answeredByResource } from "../mailbox/answered-by-resource.ts";
import type { ReadAgain } from "../mailbox/dispatch.ts";
import type { QueryContext } from "./engine/context.ts";
import { read } from "./index.ts";

/** Answers a command with the present state of the changed resource; with nothing if it was deleted since. */
export const createReadAgain =
  (queryOf: (actor: Pick<Actor, "userId">) => QueryContext): ReadAgain =>
  async (userId, command, changedId) => {
    const reading = answeredByResource[command];
    if (!reading) return undefined;
    const resource = await read(reading.query, queryOf({ userId }), { [reading.id]: changedId });
    return isRefused(resource) ? undefined : { body: resource };
  };
