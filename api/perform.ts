import type { Actor } from "../shared/actor.ts";
import type { Contract } from "../shared/contracts/catalogue.ts";
import { hideCategories } from "../shared/contracts/category-name.ts";
import { type Fields, validate } from "../shared/contracts/validate.ts";
import type { Preconditions } from "../shared/domain/preconditions.ts";
import { type FieldErrors, isRefused, type Refused, refuse } from "../shared/errors.ts";
import type { Call } from "../shared/queue/batch.ts";
import type { CommandResult, Dispatch, RequestOrigin, Sender } from "../shared/queue/client/dispatch.ts";
import type { Allowance } from "./http/rate-limit.ts";
import type { QueryContext } from "./queries/context.ts";
import { read, standbyMayAnswer } from "./queries/index.ts";

/** Whose request it is, and as far as a token made it, which one. */
type Requester = Pick<Actor, "userId"> & Partial<Pick<Actor, "scopes" | "clientName" | "tokenId">>;

export type PerformContext = Readonly<{
  dispatch: Dispatch;
  /** Reads for a user, from the primary unless a standby may answer as well. */
  query(actor: Requester, manner?: QueryManner): QueryContext;
}>;

type QueryManner = Readonly<{
  /** What the rate limit left of the request's token, which it may ask for. */
  allowance?: Allowance | undefined;
  /** For what is only shown to the user. What a front door decides by, it reads from the primary. */
  standbyMayAnswer?: boolean;
}>;

/** The content of a request: the fields of its contract's input and, where one was sent, an idempotency key. */
export type Content = Readonly<{
  fields: Fields;
  /** Refusals of names that the request may not have. */
  unknown?: FieldErrors | undefined;
  idempotencyKey?: string | undefined;
  preconditions?: Preconditions | undefined;
}>;

type PerformRequest = Readonly<{
  contract: Contract;
  actor: Requester & Pick<Actor, "scopes">;
  allowance?: Allowance | undefined;
  /** Where a change came in, for the action log; a tool call is logged as what it is. */
  origin?: RequestOrigin | undefined;
  /** Read only after the scope check: a caller who may not do this learns nothing about the content. */
  content(): Promise<Content | Refused> | Content | Refused;
  /** Fields that the route demands beyond the contract's own. */
  required?: readonly string[] | undefined;
}>;

/** A request that is permitted and valid. */
export type PreparedRequest = Omit<PerformRequest, "content" | "required"> &
  Readonly<{ input: object }> &
  Pick<Content, "idempotencyKey" | "preconditions">;

/** The one way of every request, by REST, by MCP or from a page: scopes, contract, then a read or a command. */
export async function perform(context: PerformContext, request: PerformRequest): Promise<CommandResult> {
  const prepared = await prepare(request);
  return isRefused(prepared) ? { outcome: prepared, replayed: false } : execute(context, prepared);
}

/** The first half of `perform`; MCP calls the halves itself, because it logs what is refused in between. */
export async function prepare(request: PerformRequest): Promise<PreparedRequest | Refused> {
  const { contract, actor, allowance, origin, required } = request;
  const forbidden = checkScopes(contract, actor);
  if (forbidden) return forbidden;
  const content = await request.content();
  if (isRefused(content)) return content;
  const { fields, unknown, ...how } = content;
  const validated = validate(contract, fields, { required, unknown });
  if (isRefused(validated)) return validated;
  return { contract, actor, allowance, origin, input: validated.input, ...how };
}

/** @returns the refusal when the actor lacks a scope of the contract */
export function checkScopes(
  { scopes }: Pick<Contract, "scopes">,
  actor: Pick<Actor, "scopes">,
): Refused | undefined {
  if (scopes.every((scope) => actor.scopes.includes(scope))) return undefined;
  return refuse("insufficient_scope", `This needs a token with the scope ${scopes.join(" and ")}.`);
}

/**
 * The second half of `perform`: answers a query, or dispatches a command and awaits its outcome.
 * @param call the tool call that a command came by, which is logged in the command's transaction
 */
export async function execute(
  { dispatch, query }: PerformContext,
  { contract, actor, allowance, origin, input, ...how }: PreparedRequest,
  call?: Call,
): Promise<CommandResult> {
  const tell = (refused: Refused): Refused => hideCategories(refused, actor.scopes);
  if (contract.kind === "command") {
    const by = origin && senderOf(actor, origin);
    const result = await dispatch(actor, { name: contract.name, input, ...how, by, ...(call && { call }) });
    return isRefused(result.outcome) ? { ...result, outcome: tell(result.outcome) } : result;
  }
  const { name } = contract;
  const manner = { allowance, standbyMayAnswer: standbyMayAnswer(name) };
  const result = await read(name, query(actor, manner), input);
  return { outcome: isRefused(result) ? tell(result) : { body: result }, replayed: false };
}

export const senderOf = ({ tokenId = "", clientName = null }: Requester, origin: RequestOrigin): Sender => ({
  ...origin,
  tokenId,
  clientName,
});
