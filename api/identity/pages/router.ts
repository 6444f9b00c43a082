import type { Context, Next } from "koa";
import { takeForm } from "../../web/form/form.ts";
import { inLocaleOf } from "../../web/locale.ts";
import { seeOther } from "../../web/redirect.ts";
import { answerByMethod, createRequireSignIn, type PageMethods } from "../../web/router.ts";
import type { PageRequest, Site } from "../../web/site.ts";
import type { ProviderContext } from "../accounts/context.ts";
import { confirmPath, finishPath, resetPath, signInLinkPath } from "../accounts/links.ts";
import { notMePath } from "../notices.ts";
import { interactionPages } from "./consent.ts";
import { messageSite, reply } from "./messages.ts";
import * as profile from "./profile.ts";
import { takeProvenForm } from "./proof.ts";
import * as recovery from "./recovery.ts";
import { interactionPath } from "./redirects.ts";
import { doSignIn, doSignInByPasskey, doSignOut, passkeySignInPath, showSignIn } from "./sign-in.ts";
import { doFinish, doSignUp, showFinish, showSignUp, whileSignUpIsOpen } from "./sign-up.ts";
import {
  changeToken,
  createToken,
  endOld,
  revoke,
  rotate,
  showChange,
  showTokens,
  tokensPath,
} from "./tokens.ts";
import { asVisitor, type IdentityRequest, type SignedIn, signedInVisitor } from "./visitor.ts";

const requireSignIn = createRequireSignIn<IdentityRequest, SignedIn>({
  find: signedInVisitor,
  address: ({ url }, next = pageOfForm(url.pathname)) => `/sign-in?${new URLSearchParams({ next })}`,
});

/** The page that contains the form of a POST-only address. */
const pageOfForm = (path: string): string => (path.startsWith(tokensPath) ? tokensPath : "/profile");

const pages: Readonly<Record<string, PageMethods<IdentityRequest>>> = {
  "/sign-in": { GET: asVisitor(showSignIn), POST: asVisitor(takeForm(doSignIn)) },
  [passkeySignInPath]: { POST: asVisitor(takeForm(doSignInByPasskey)) },
  [signInLinkPath]: {
    GET: asVisitor(recovery.showSignInLink),
    POST: asVisitor(takeForm(recovery.doSignInByLink)),
  },
  "/sign-up": {
    GET: whileSignUpIsOpen(asVisitor(showSignUp)),
    POST: whileSignUpIsOpen(asVisitor(takeForm(doSignUp))),
  },
  [finishPath]: { GET: showFinish, POST: asVisitor(takeForm(doFinish)) },
  [recovery.forgotPath]: {
    GET: asVisitor(recovery.showForgot),
    POST: asVisitor(takeForm(recovery.doForgot)),
  },
  [resetPath]: { GET: asVisitor(recovery.showReset), POST: asVisitor(takeForm(recovery.doReset)) },
  [notMePath]: { GET: asVisitor(recovery.showNotMe), POST: asVisitor(takeForm(recovery.endNotMe)) },
  "/sign-out": { POST: asVisitor(doSignOut) },
  "/profile": { GET: requireSignIn(profile.showProfile) },
  "/profile/email": { POST: requireSignIn(takeProvenForm(profile.saveEmail)) },
  "/profile/email/link": { POST: requireSignIn(takeForm(profile.sendLink)) },
  [confirmPath]: { GET: requireSignIn(profile.showLink), POST: requireSignIn(takeForm(profile.useLink)) },
  "/profile/password": { POST: requireSignIn(takeForm(profile.savePassword)) },
  [profile.passkeysPath]: { POST: requireSignIn(takeProvenForm(profile.beginPasskey)) },
  [`${profile.passkeysPath}/create`]: { POST: requireSignIn(takeForm(profile.finishPasskey)) },
  [`${profile.passkeysPath}/remove`]: { POST: requireSignIn(takeProvenForm(profile.dropPasskey)) },
  [`${profile.sessionsPath}/end`]: { POST: requireSignIn(takeForm(profile.signOutBrowser)) },
  [`${profile.sessionsPath}/end-others`]: { POST: requireSignIn(takeForm(profile.signOutOtherBrowsers)) },
  "/profile/delete": { POST: requireSignIn(takeProvenForm(profile.removeAccount)) },
  [tokensPath]: {
    GET: requireSignIn((visitor) => showTokens(visitor)),
    POST: requireSignIn(takeProvenForm(createToken)),
  },
  [`${tokensPath}/change`]: {
    GET: requireSignIn((visitor) => showChange(visitor)),
    POST: requireSignIn(takeForm(changeToken)),
  },
  [`${tokensPath}/rotate`]: { GET: () => seeOther(tokensPath), POST: requireSignIn(takeProvenForm(rotate)) },
  [`${tokensPath}/end-old`]: { GET: () => seeOther(tokensPath), POST: requireSignIn(takeForm(endOld)) },
  [`${tokensPath}/revoke`]: { GET: () => seeOther(tokensPath), POST: requireSignIn(takeForm(revoke)) },
};

/** Serves the provider's own pages; everything else is OAuth and goes on to oidc-provider. */
export function servePages(identity: ProviderContext) {
  const { origin } = new URL(identity.config.baseUrl);
  // A sign-in may lead to any page, and without a destination to Today.
  const site = { ...messageSite, origin, formKeys: identity.keys.forms, afterSignIn: "/account", root: "" };
  return async (ctx: Context, next: Next): Promise<void> => {
    const methods = interactionPath.test(ctx.path) ? interactionPages : pages[ctx.path];
    if (!methods) return next();
    const request = { ...pageRequestOf(ctx, site), identity, ctx };
    await reply(ctx, await inLocaleOf(request.request, () => answerByMethod(methods, request)));
  };
}

/** A Koa request as pages read it. They read only these two headers; Koa itself reads the cookies. */
function pageRequestOf(ctx: Context, site: Site): PageRequest {
  const headers = new Headers();
  for (const name of ["origin", "content-type"]) if (ctx.get(name)) headers.set(name, ctx.get(name));
  const request = { method: ctx.method, headers, body: ctx.req };
  return { site, request, url: new URL(`${site.origin}${ctx.path}${ctx.search}`) };
}
