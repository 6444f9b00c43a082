import type { Context, Next } from "koa";
import { takeForm } from "../../web/form/form.ts";
import { inLocaleOf } from "../../web/locale.ts";
import { seeOther } from "../../web/redirect.ts";
import { answerByMethod, createRequireSignIn, type PageMethods } from "../../web/router.ts";
import { confirmPath } from "../accounts/confirmation.ts";
import type { IdentityContext } from "../accounts/context.ts";
import { resetPath } from "../accounts/passwords/resets.ts";
import { signInLinkPath } from "../accounts/sign-in-links.ts";
import { finishPath } from "../accounts/sign-ups.ts";
import { notMePath } from "../notices/links.ts";
import { pageRequestOf, reply } from "./koa.ts";
import { saveEmail, sendLink, showLink, useLink } from "./profile/email.ts";
import { beginPasskey, dropPasskey, finishPasskey } from "./profile/passkeys.ts";
import { passkeysPath } from "./profile/passkeys-section.ts";
import { removeAccount, savePassword, showProfile } from "./profile/profile.ts";
import { sessionsPath, signOutBrowser, signOutOtherBrowsers } from "./profile/sessions.ts";
import { takeProvenForm } from "./proof.ts";
import { interactionPath } from "./redirects.ts";
import { doFinish, showFinish } from "./sign-in/finish-sign-up.ts";
import { doForgot, forgotPath, showForgot } from "./sign-in/forgot-password.ts";
import { answerConsent, showInteraction } from "./sign-in/interaction.ts";
import { endNotMe, showNotMe } from "./sign-in/not-me.ts";
import { doReset, showReset } from "./sign-in/reset-password.ts";
import { doSignIn, doSignInByPasskey, doSignOut, showSignIn } from "./sign-in/sign-in.ts";
import { doSignInByLink, showSignInLink } from "./sign-in/sign-in-link.ts";
import { passkeySignInPath } from "./sign-in/sign-in-page.ts";
import { doSignUp, showSignUp, whileSignUpIsOpen } from "./sign-in/sign-up.ts";
import { siteOf, tokensPath } from "./site.ts";
import { changeToken, endOld, rotate } from "./tokens/change.ts";
import { showChange } from "./tokens/change-page.ts";
import { createToken, isLasting, revoke } from "./tokens/create.ts";
import { showTokens } from "./tokens/list-page.ts";
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
    POST: requireSignIn(takeProvenForm(createToken, isLasting)),
  },
  [`${tokensPath}/change`]: {
    GET: requireSignIn((visitor) => showChange(visitor)),
    POST: requireSignIn(takeForm(changeToken)),
  },
  [`${tokensPath}/rotate`]: { GET: () => seeOther(tokensPath), POST: requireSignIn(takeProvenForm(rotate)) },
  [`${tokensPath}/end-old`]: { GET: () => seeOther(tokensPath), POST: requireSignIn(takeForm(endOld)) },
  [`${tokensPath}/revoke`]: { GET: () => seeOther(tokensPath), POST: requireSignIn(takeForm(revoke)) },
};

const interaction: PageMethods<IdentityRequest> = { GET: showInteraction, POST: answerConsent };

/** Serves the provider's own pages; everything else is OAuth and goes on to oidc-provider. */
export function servePages(identity: IdentityContext) {
  const site = siteOf(identity);
  return async (ctx: Context, next: Next): Promise<void> => {
    const methods = interactionPath.test(ctx.path) ? interaction : pages[ctx.path];
    if (!methods) return next();
    const request = { ...pageRequestOf(ctx, site), identity, ctx };
    await reply(ctx, await inLocaleOf(request.request, () => answerByMethod(methods, request)));
  };
}
