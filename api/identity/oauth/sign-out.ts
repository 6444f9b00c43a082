import type { Context, Next } from "koa";
import type { KoaContextWithOIDC } from "oidc-provider";
import type { IdentityContext } from "../accounts/context.ts";
import { endAccountSessions } from "../accounts/sessions.ts";
import { reply } from "../pages/koa.ts";
import { signedOutPage } from "../pages/oauth.ts";

type EndedSession = Readonly<{ destroyed?: boolean; accountId?: string | undefined; uid: string }>;

/** Ends the session for all pages after a sign-out by RP-Initiated Logout 1.0, which oidc-provider serves. */
export function tellSignOut(identity: IdentityContext) {
  const { provider } = identity;
  return async (ctx: Context & Partial<KoaContextWithOIDC>, next: Next): Promise<void> => {
    // If nobody is signed in, oidc-provider would store something and answer with a form that only a script sends.
    if (ctx.path === "/session/end" && !(await provider.Session.get(ctx)).accountId)
      return reply(ctx, signedOutPage());
    await next();
    if (!ctx.path.startsWith("/session/end")) return;
    const session: EndedSession | undefined = ctx.oidc?.session;
    if (!session?.destroyed || !session.accountId) return;
    await endAccountSessions(identity, session.accountId, { only: session.uid });
  };
}
