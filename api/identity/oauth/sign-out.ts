import type { Context, Next } from "koa";
import type { KoaContextWithOIDC } from "oidc-provider";
import type { Identity } from "../accounts/context.ts";
import { addNews } from "../accounts/outbox.ts";
import { renderSignedOut } from "../pages/oauth.ts";
import { seeOther } from "../pages/respond.ts";

type SignOut = Pick<Identity, "pool" | "deliverNews">;

/** Ends the sessions of the account pages too: one sign-out is enough, wherever it is asked for. */
export async function endServiceSessions({ pool, deliverNews }: SignOut, userId: string): Promise<void> {
  await addNews(pool, { userId, name: "user.end-sessions", input: {} });
  await deliverNews();
}

/** Does so after a sign-out by RP-Initiated Logout 1.0, which oidc-provider serves. */
export function tellSignOut(identity: Identity) {
  const { provider, config } = identity;
  return async (ctx: Context & Partial<KoaContextWithOIDC>, next: Next): Promise<void> => {
    // Nobody is signed in here: oidc-provider would store something, and answer with a form that only a script sends.
    if (ctx.path === "/session/end" && !(await provider.Session.get(ctx)).accountId) {
      const back = `${config.baseUrl}/account`;
      const isOurs = ctx.query.post_logout_redirect_uri === back;
      return isOurs ? seeOther(ctx, back) : renderSignedOut(ctx);
    }
    await next();
    if (!ctx.path.startsWith("/session/end")) return;
    const session: { destroyed?: boolean; accountId?: string | undefined } | undefined = ctx.oidc?.session;
    if (session?.destroyed && session.accountId) await endServiceSessions(identity, session.accountId);
  };
}
