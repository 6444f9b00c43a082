import { type CommandName, commands } from "../../../../shared/contracts/catalogue.ts";
import { allScopes } from "../../../../shared/contracts/kernel/scopes.ts";
import { isRefused } from "../../../../shared/errors.ts";
import type { Outcome } from "../../../../shared/queue/batch.ts";
import type { Fields } from "../../../http/input/validate.ts";
import { originOf } from "../../../http/request.ts";
import { callOf } from "../../../mailbox/dispatch.ts";
import { type Content, execute, prepare, senderOf } from "../../../perform.ts";
import type { Visit } from "./context.ts";

type SignedIn = Pick<Visit, "context" | "session" | "request">;

/** Performs the command of a signed-in person's form. People have all scopes on their own data. */
export const submit = async (visit: SignedIn, name: CommandName, fields: Fields): Promise<Outcome> =>
  (await submitLogged(visit, name, fields)).outcome;

/** The outcome of a command, and its log key if it changed something. */
type LoggedOutcome = Readonly<{
  outcome: Outcome;
  key: Readonly<{ called_at: string; request_id: string }>;
}>;

/** Performs a command like `submit`, for pages that offer to undo it. */
export async function submitLogged(
  { context, session, request }: SignedIn,
  name: CommandName,
  fields: Fields,
  how: Pick<Content, "idempotencyKey" | "preconditions"> = {},
): Promise<LoggedOutcome> {
  const actor = { userId: session.sub, scopes: allScopes };
  const startedAt = context.query(actor).now;
  const call = callOf(senderOf(actor, originOf(request, "page")), name, startedAt);
  const key = { called_at: new Date(startedAt).toISOString(), request_id: call.requestId };
  const prepared = await prepare({ contract: commands[name], actor, content: () => ({ fields, ...how }) });
  if (isRefused(prepared)) return { outcome: prepared, key };
  const { outcome } = await execute(context, prepared, call);
  return { outcome, key };
}
