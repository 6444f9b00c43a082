import type { Actor } from "../../shared/actor.ts";
import type { Scope } from "../../shared/contracts/scopes.ts";
import { isRefused, type Refusal } from "../../shared/errors.ts";
import type { Config } from "../../shared/process/config.ts";
import type { Authenticate } from "./authenticate.ts";
import { type Resource, scopeChallenge, unauthenticatedChallenge } from "./challenge.ts";

export type CallerContext = Readonly<{ config: Pick<Config, "baseUrl">; authenticate: Authenticate }>;

/** A refusal with the headers that its answer needs. */
type Challenged = Readonly<{ refusal: Refusal; headers: Headers }>;

/** Finds out who calls a protected resource, by the request's access token. */
export async function findCaller(
  { config, authenticate }: CallerContext,
  resource: Resource,
  request: Request,
): Promise<Readonly<{ actor: Actor }> | Challenged> {
  const authorization = request.headers.get("authorization");
  const caller = await authenticate(authorization);
  if (!isRefused(caller)) return caller;
  const { refusal } = caller;
  return { refusal, headers: challengeHeaders(config, resource, refusal, authorization !== null) };
}

/**
 * The headers that lead a client to a token which would be accepted: on 401 and on 403, and none on other refusals.
 * @param scopes what a token needs that was refused for lack of a scope
 */
export function challengeHeaders(
  config: Pick<Config, "baseUrl">,
  resource: Resource,
  { code }: Refusal,
  tokenSent: boolean,
  scopes: readonly Scope[] = [],
): Headers {
  if (code === "unauthenticated")
    return new Headers({ "www-authenticate": unauthenticatedChallenge(config, resource, tokenSent) });
  if (code === "insufficient_scope")
    return new Headers({ "www-authenticate": scopeChallenge(config, resource, scopes) });
  return new Headers();
}
