import type { Contract } from "../shared/contracts/catalogue.ts";
import { hideCategories } from "../shared/contracts/category/fields.ts";
import type { ActionOperation } from "../shared/contracts/group/contracts.ts";
import { isScope, type Scope } from "../shared/contracts/kernel/scopes.ts";
import type { Preconditions } from "../shared/domain/preconditions.ts";
import { tableOf } from "../shared/domain/vocabulary.ts";
import { type FieldProblems, isRefused, type Refused, refuse } from "../shared/errors.ts";
import { type Fields, validate } from "./http/input.ts";
import type { Allowance } from "./http/rate-limit.ts";
import type { Actor, Requester } from "./mailbox/actor.ts";
import type { CommandResult, Dispatch, Sender } from "./mailbox/dispatch.ts";
import { presentOutcome } from "./queries/approval/read.ts";
import type { OpenQuery } from "./queries/engine/context.ts";
import { needPrimary, read } from "./queries/index.ts";

export type PerformContext = Readonly<{
  dispatch: Dispatch;
  query: OpenQuery;
}>;

type ChangeManner = Readonly<{
  idempotencyKey?: string | undefined;
  preconditions?: Preconditions | undefined;
  preview?: boolean | undefined;
}>;

/** The content of a request: the input fields of its contract, and the options of a change. */
export type Content = ChangeManner &
  Readonly<{
    fields: Fields;
    /** Refusals of names that the request may not have. */
    unknown?: FieldProblems | undefined;
  }>;

type Asked = Readonly<{
  contract: Contract;
  actor: Requester & Pick<Actor, "scopes">;
  allowance?: Allowance | undefined;
  by?: Sender | undefined;
}>;

type PerformRequest = Asked &
  Readonly<{
    /** The content is read after the scope check: a caller without the scope learns nothing about it. */
    content(): Promise<Content | Refused> | Content | Refused;
    /** Fields that the route demands beyond the contract's own. */
    required?: readonly string[] | undefined;
  }>;

type PreparedRequest = Asked & ChangeManner & Readonly<{ input: object }>;

/** The one way of every request, by REST, by MCP or from a page: scopes, contract, then a read or a command. */
export async function perform(context: PerformContext, request: PerformRequest): Promise<CommandResult> {
  const prepared = await prepare(request);
  return isRefused(prepared) ? { outcome: prepared, replayed: false } : execute(context, prepared);
}

/** The first half of `perform`. MCP calls both halves itself, because it logs refusals in between. */
export async function prepare(request: PerformRequest): Promise<PreparedRequest | Refused> {
  const { contract, actor, content, required } = request;
  const found = checkScopes(contract, actor) ?? (await content());
  if (isRefused(found)) return found;
  const validated = validate(contract, found.fields, { required, unknown: found.unknown });
  if (isRefused(validated)) return validated;
  const { inputScopes }: FurtherScopes = contract;
  const scopes = inputScopes?.(validated.input) ?? [];
  return checkScopes({ scopes }, actor) ?? { ...request, ...found, ...validated };
}

/** The scopes that an input of any contract needs beside those of its contract. */
type FurtherScopes = Readonly<{ inputScopes?(input: object): readonly Scope[] }>;

export function operationOf(contract: Contract, fields: Fields): ActionOperation {
  const checked = validate(contract, fields);
  return isRefused(checked) ? checked : { name: contract.name, ...checked };
}

/** @returns the refusal when the actor lacks a scope of the contract */
export function checkScopes(
  { scopes }: Pick<Contract, "scopes">,
  actor: Pick<Actor, "scopes">,
): Refused | undefined {
  if (scopes.every((scope) => actor.scopes.includes(scope))) return undefined;
  return refuse("insufficient_scope", `This needs a token with the scope ${scopes.join(" and ")}.`);
}

/** A preview changes nothing, so it is a read of what it shows. @returns the refusal of an actor who may not */
export function checkPreview(
  { changes = [] }: Pick<CommandResult, "changes">,
  contracts: readonly Pick<Contract, "scopes">[],
  actor: Pick<Actor, "scopes">,
): Refused | undefined {
  const own = contracts.flatMap(({ scopes }) => scopes.map((scope) => scope.replace(":write", ":read")));
  const scopes = [...own, ...changes.map(({ kind }) => `${tableOf[kind]}:read`)].filter(isScope);
  return checkScopes({ scopes: [...new Set(scopes)] }, actor);
}

/** The second half of `perform`: answers a query, or dispatches a command and awaits its outcome. */
export async function execute(
  context: PerformContext,
  { contract, actor, allowance, by, input, ...manner }: PreparedRequest,
): Promise<CommandResult> {
  if (contract.kind === "query") {
    const own = context.query(actor, { allowance, standbyMayAnswer: !needPrimary.has(contract.name) });
    const body = await read(contract.name, own, input);
    return { outcome: isRefused(body) ? hideCategories(body, actor.scopes) : { body }, replayed: false };
  }
  const { name } = contract;
  const result = await context.dispatch(actor, { name, input, by, ...manner });
  const hidden = manner.preview && checkPreview(result, [contract], actor);
  if (hidden) return { outcome: hidden, replayed: false };
  if (!isRefused(result.outcome)) return result;
  const outcome = await presentOutcome(context.query(actor), result.outcome);
  return { ...result, outcome: isRefused(outcome) ? hideCategories(outcome, actor.scopes) : outcome };
}
