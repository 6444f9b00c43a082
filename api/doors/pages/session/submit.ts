import {
  type CommandName,
  type Commands,
  commands,
  type OutputOf,
} from "../../../../shared/contracts/catalogue.ts";
import type { CommandContract } from "../../../../shared/contracts/kernel/contract.ts";
import { allScopes } from "../../../../shared/contracts/kernel/scopes.ts";
import { conflict, isRefused, type Refused } from "../../../../shared/errors.ts";
import { keyedId } from "../../../../shared/queue/command-id.ts";
import type { Fields } from "../../../http/input.ts";
import { senderOf } from "../../../http/request.ts";
import { callOf } from "../../../mailbox/dispatch.ts";
import { type Content, execute, prepare } from "../../../perform.ts";
import { type ActionKey, findLogged } from "../../../queries/action/runs.ts";
import type { Session, Visit } from "./context.ts";

type SignedIn = Pick<Visit, "context" | "session" | "request">;

/** Performs the command of a signed-in person's form. People have all scopes on their own data. */
export const submit = async <Name extends CommandName>(visit: SignedIn, name: Name, fields: Fields) =>
  (await submitLogged(visit, name, fields)).outcome;

/** The outcome of a command, and its log key if it changed something. */
type Logged<Name extends CommandName> = Readonly<{
  outcome: Refused | Readonly<{ body: OutputOf<Commands[Name]> }>;
  key: ActionKey;
}>;

type How = Pick<Content, "idempotencyKey" | "preconditions" | "preview"> &
  /** The name in the log, if it is not that of the command. */
  Readonly<{ tool?: CommandName }>;

/** Seconds for which a sign-in proves that the person is there. */
const provenSeconds = 10 * 60;

/** True if the person signed in, or proved it again to the provider, within the last ten minutes. */
export const isProven = ({ proven_at = 0 }: Session): boolean =>
  Date.now() / 1_000 - proven_at < provenSeconds;

/** A route asks for the proof before this refusal. */
const unproven = conflict("This takes a sign-in of the last ten minutes", "sign out and in, and try again.");

/** Performs a command like `submit`, for pages that offer to undo it. */
export async function submitLogged<Name extends CommandName>(
  { context, session, request }: SignedIn,
  name: Name,
  fields: Fields,
  { tool = name, ...how }: How = {},
): Promise<Logged<Name>> {
  const actor = { userId: session.sub, scopes: allScopes };
  const query = context.query(actor);
  const sender = senderOf(request, "page", actor);
  const keyed = how.idempotencyKey;
  // A repeat comes from another request, and its row in the log is found by this id.
  const requestId = keyed === undefined ? sender.requestId : keyedId(session.sub, `page ${keyed}`);
  const by = callOf({ ...sender, requestId }, tool, query.now);
  const key = { called_at: new Date(by.startedAt).toISOString(), request_id: requestId };
  const contract: CommandContract<CommandName> = commands[name];
  const prepared = await prepare({ contract, actor, content: () => ({ fields, ...how }) });
  if (isRefused(prepared)) return { outcome: prepared, key };
  if (contract.opens?.({ ...prepared.input }) && !isProven(session)) return { outcome: unproven, key };
  const { outcome, replayed } = await execute(context, { ...prepared, by });
  const first = replayed && !isRefused(outcome) ? await findLogged(query, key) : undefined;
  // The contract of a command declares the body of its answer.
  return { outcome: outcome as Logged<Name>["outcome"], key: first ?? key };
}

/** The key of a form's change that scripts send until it is answered; undefined for a form that they did not send. */
export const formKeyOf = (form: URLSearchParams): string | undefined =>
  form.get("key")?.slice(0, 100) || undefined;

/** Undoes actions of the signed-in person's log, or previews that. */
export async function submitUndo(
  visit: SignedIn,
  actions: readonly ActionKey[],
  { preview = false } = {},
): Promise<OutputOf<Commands["action.undo"]> | Refused> {
  const keys = actions.map(({ called_at, request_id }) => ({ called_at, request_id }));
  const { outcome } = await submitLogged(visit, "action.undo", { actions: keys }, { preview });
  return isRefused(outcome) ? outcome : outcome.body;
}
