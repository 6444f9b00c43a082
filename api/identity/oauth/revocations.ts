import { timingSafeEqual } from "node:crypto";
import type { Context, Next } from "koa";
import { basicAuthorization, type IdentityClient, secretsOf } from "../../auth/identity-client.ts";
import { hashToken } from "../accounts/confirmation.ts";
import type { IdentityContext } from "../accounts/context.ts";
import { revokeConnection } from "../grants/connections.ts";
import type { Journaled } from "../journal/record.ts";

const path = /^\/accounts\/(?<account>[\w-]{1,64})\/connections\/(?<id>[\w-]{1,64})$/;

/**
 * DELETE /accounts/{account}/connections/{id}: lets the service's account pages end a connection, as the page of tokens
 * does. Answers 204 even if nothing is left to end.
 */
export function takeRevocations({ ownClient, ...journaled }: Journaled & Pick<IdentityContext, "ownClient">) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const { account, id } = path.exec(ctx.path)?.groups ?? {};
    if (ctx.method !== "DELETE" || account === undefined || id === undefined) return next();
    if (!isService(ctx.get("authorization"), ownClient)) {
      ctx.status = 401;
      return;
    }
    await revokeConnection(journaled, account, id);
    ctx.status = 204;
  };
}

/** Compares hashes of equal length, so that the time does not depend on the input. */
export const isService = (shown: string, client: IdentityClient): boolean =>
  secretsOf(client).some((secret) =>
    timingSafeEqual(hashToken(shown), hashToken(basicAuthorization({ id: client.id, secret }))),
  );
