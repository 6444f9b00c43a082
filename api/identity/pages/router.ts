import type { Context, Next } from "koa";
import { favicon } from "../../../shared/web/favicon.ts";
import { stylesheet } from "../../../shared/web/html.ts";
import { confirmPath } from "../accounts/confirmation.ts";
import type { Identity } from "../accounts/context.ts";
import { finishPath } from "../accounts/sign-ups.ts";
import { createToken, revoke, type SignedIn, showTokens, tokensPath } from "./api-tokens.ts";
import { answerConsent, showInteraction } from "./consent.ts";
import { saveEmail, sendLink, showLink, useLink } from "./email.ts";
import { doFinish, showFinish } from "./finish-sign-up.ts";
import { removeAccount, savePassword, saveTimeZone, showProfile } from "./profile.ts";
import { interactionPath } from "./redirects.ts";
import { seeOther } from "./respond.ts";
import { doSignIn, doSignOut, showSignIn } from "./sign-in.ts";
import { doSignUp, showSignUp } from "./sign-up.ts";
import { visitorOf } from "./visitor.ts";

type Page = (identity: Identity, ctx: Context) => void | Promise<void>;
type OwnPage = (identity: Identity, ctx: Context, visitor: SignedIn) => void | Promise<void>;
type Methods = Readonly<{ GET?: Page; POST?: Page }>;

const pages: Readonly<Record<string, Methods>> = {
  "/": { GET: (_identity, ctx) => seeOther(ctx, tokensPath) },
  [stylesheet.path]: { GET: sendStylesheet },
  [favicon.path]: { GET: sendFavicon },
  "/health/live": { GET: sendAlive },
  "/sign-in": { GET: showSignIn, POST: doSignIn },
  "/sign-up": { GET: showSignUp, POST: doSignUp },
  [finishPath]: { GET: showFinish, POST: doFinish },
  "/sign-out": { POST: doSignOut },
  "/profile": { GET: own(showProfile) },
  "/profile/time-zone": { POST: own(saveTimeZone) },
  "/profile/email": { POST: own(saveEmail) },
  "/profile/email/link": { POST: own(sendLink) },
  [confirmPath]: { GET: own(showLink), POST: own(useLink) },
  "/profile/password": { POST: own(savePassword) },
  "/profile/delete": { POST: own(removeAccount) },
  [tokensPath]: { GET: own(showTokens), POST: own(createToken) },
  [`${tokensPath}/revoke`]: { POST: own(revoke) },
};

const interaction: Methods = { GET: showInteraction, POST: answerConsent };

/** Serves the provider's own pages; everything else is OAuth and goes on to oidc-provider. */
export function servePages(identity: Identity) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const methods = interactionPath.test(ctx.path) ? interaction : pages[ctx.path];
    if (!methods) return next();
    const page = methods[ctx.method === "HEAD" ? "GET" : (ctx.method as keyof Methods)];
    if (page) return page(identity, ctx);
    ctx.set("Allow", Object.keys(methods).join(", "));
    ctx.throw(405, "This address does not take that method.");
  };
}

/** A page for signed-in people only: strangers sign in first and come back. */
function own(page: OwnPage): Page {
  return async (identity, ctx) => {
    const { account, ...visitor } = await visitorOf(identity, ctx);
    if (account) return page(identity, ctx, { ...visitor, account });
    const next = ctx.method === "GET" ? ctx.url : tokensPath;
    seeOther(ctx, `/sign-in?${new URLSearchParams({ next })}`);
  };
}

function sendStylesheet(_identity: Identity, ctx: Context): void {
  ctx.set("Cache-Control", "public, max-age=31536000, immutable");
  ctx.type = "css";
  ctx.body = stylesheet.css;
}

function sendFavicon(_identity: Identity, ctx: Context): void {
  ctx.set(favicon.headers);
  ctx.body = favicon.svg;
}

function sendAlive(_identity: Identity, ctx: Context): void {
  ctx.body = { status: "ok" };
}
