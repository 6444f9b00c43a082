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
import {
  beginPasskey,
  dropPasskey,
  finishPasskey,
  passkeysPath,
  removeAccount,
  saveEmail,
  savePassword,
  sendLink,
  sessionsPath,
  showLink,
  showProfile,
  signOutBrowser,
  signOutOtherBrowsers,
  useLink,
} from "./profile.ts";
import { takeProvenForm } from "./proof.ts";
import {
  doForgot,
  doReset,
  doSignInByLink,
  endNotMe,
  forgotPath,
  showForgot,
  showNotMe,
  showReset,
  showSignInLink,
} from "./recovery.ts";
import { interactionPath } from "./redirects.ts";
import { doSignIn, doSignInByPasskey, doSignOut, passkeySignInPath, showSignIn } from "./sign-in.ts";
import { doFinish, doSignUp, showFinish, showSignUp, whileSignUpIsOpen } from "./sign-up.ts";
import { changeToken, endOld, rotate, showChange } from "./token-change.ts";
import { createToken, revoke, showTokens, tokensPath } from "./tokens.ts";
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
  [signInLinkPath]: { GET: asVisitor(showSignInLink), POST: asVisitor(takeForm(doSignInByLink)) },
  "/sign-up": {
    GET: whileSignUpIsOpen(asVisitor(showSignUp)),
    POST: whileSignUpIsOpen(asVisitor(takeForm(doSignUp))),
  },
  [finishPath]: { GET: showFinish, POST: asVisitor(takeForm(doFinish)) },
  [forgotPath]: { GET: asVisitor(showForgot), POST: asVisitor(takeForm(doForgot)) },
  [resetPath]: { GET: asVisitor(showReset), POST: asVisitor(takeForm(doReset)) },
  [notMePath]: { GET: asVisitor(showNotMe), POST: asVisitor(takeForm(endNotMe)) },
  "/sign-out": { POST: asVisitor(doSignOut) },
  "/profile": { GET: requireSignIn(showProfile) },
  "/profile/email": { POST: requireSignIn(takeProvenForm(saveEmail)) },
  "/profile/email/link": { POST: requireSignIn(takeForm(sendLink)) },
  [confirmPath]: { GET: requireSignIn(showLink), POST: requireSignIn(takeForm(useLink)) },
  "/profile/password": { POST: requireSignIn(takeForm(savePassword)) },
  [passkeysPath]: { POST: requireSignIn(takeProvenForm(beginPasskey)) },
  [`${passkeysPath}/create`]: { POST: requireSignIn(takeForm(finishPasskey)) },
  [`${passkeysPath}/remove`]: { POST: requireSignIn(takeProvenForm(dropPasskey)) },
  [`${sessionsPath}/end`]: { POST: requireSignIn(takeForm(signOutBrowser)) },
  [`${sessionsPath}/end-others`]: { POST: requireSignIn(takeForm(signOutOtherBrowsers)) },
  "/profile/delete": { POST: requireSignIn(takeProvenForm(removeAccount)) },
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
