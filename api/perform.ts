import type { Actor } from "../shared/actor.ts";
import type { CommandName, QueryName } from "../shared/contracts/catalogue.ts";
import type { Contract } from "../shared/contracts/contract.ts";
import { type Fields, validate } from "../shared/contracts/validate.ts";
import { isRefused, type Refused, refuse } from "../shared/errors.ts";
import type { CommandResult, Dispatch } from "../shared/queue/client/dispatch.ts";
import type { QueryContext } from "./queries/context.ts";
import { read } from "./queries/index.ts";

export type PerformContext = Readonly<{
  dispatch: Dispatch;
  query(actor: Pick<Actor, "userId">): QueryContext;
}>;

type Options = Readonly<{
  required?: readonly string[];
  idempotencyKey?: string | undefined;
}>;

/** Whether the actor's token may do this; both doors ask before they look at the request's content. */
export function checkScopes({ scopes }: Contract, actor: Actor): Refused | undefined {
  if (scopes.every((scope) => actor.scopes.includes(scope))) return undefined;
  return refuse("insufficient_scope", `This needs a token with the scope ${scopes.join(" and ")}.`);
}

/** What REST does with a permitted request: check it against its contract, then read, or dispatch and await. */
export async function perform(
  context: PerformContext,
  contract: Contract,
  actor: Actor,
  fields: Fields,
  { required = [], idempotencyKey }: Options = {},
): Promise<CommandResult> {
  const validated = validate(contract, fields, required);
  if (isRefused(validated)) return { outcome: validated, replayed: false };
  const { input } = validated;
  if (contract.kind === "command") {
    const name = contract.name as CommandName;
    return context.dispatch(actor, { name, input, idempotencyKey });
  }
  const result = await read(contract.name as QueryName, context.query(actor), input);
  return { outcome: isRefused(result) ? result : { body: result }, replayed: false };
}
