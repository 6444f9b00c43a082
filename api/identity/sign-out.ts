import type { Context, Next } from "koa";
import type { KoaContextWithOIDC } from "oidc-provider";
import type { Identity } from "./identity.ts";
import { addNews } from "./outbox.ts";
import { seeOther } from "./pages/respond.ts";

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
    const back = `${config.baseUrl}/account`;
    if (ctx.path === "/session/end" && ctx.query.post_logout_redirect_uri === back) {
      // Nobody is signed in here: oidc-provider would answer with a form that only a script sends.
      if (!(await provider.Session.get(ctx)).accountId) return seeOther(ctx, back);
    }
    await next();
    if (!ctx.path.startsWith("/session/end")) return;
    const session: { destroyed?: boolean; accountId?: string | undefined } | undefined = ctx.oidc?.session;
    if (session?.destroyed && session.accountId) await endServiceSessions(identity, session.accountId);
  };
}
