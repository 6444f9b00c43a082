import { takeForm } from "../../../web/form/form.ts";
import { safeNext, seeOther } from "../../../web/redirect.ts";
import { normalizeEmail } from "../../accounts/accounts.ts";
import { noteFailure } from "../../accounts/failures.ts";
import { type CheckedAccount, checkPassword } from "../../accounts/passwords/passwords.ts";
import { endAccountSessions } from "../../accounts/sessions.ts";
import { rememberBrowserZone } from "../../accounts/zones.ts";
import { networkUnderWay } from "../../journal/origin.ts";
import { findByPasskey } from "../../passkeys/sign-in.ts";
import { knownBrowser, rememberBrowser } from "../known-browser.ts";
import { arrival, dropSessionCookie, renewSession, startSession, type Visitor } from "../visitor.ts";
import { signInPage } from "./sign-in-page.ts";

/** GET /sign-in?next=…: `again=yes` asks a signed-in person to prove once more who they are. */
export async function showSignIn(visitor: Visitor): Promise<Response> {
  const query = visitor.url.searchParams;
  const next = safeNext(visitor.site, query.get("next"));
  if (visitor.account && query.get("again") !== "yes") {
    await renewSession(visitor);
    return seeOther(next);
  }
  return signInPage(visitor, { next, email: visitor.account?.email ?? "" });
}

/** POST /sign-in */
export async function doSignIn(visitor: Visitor, form: URLSearchParams): Promise<Response> {
  const { identity, ctx, site } = visitor;
  const next = safeNext(site, form.get("next"));
  const typed = form.get("email") ?? "";
  const email = normalizeEmail(typed) ?? "";
  const attempt = { email, address: ctx.ip, browser: knownBrowser(identity, ctx, email) };
  const wait = await identity.throttle.signIn(attempt);
  if (wait > 0) return tooManyAttempts(visitor, { next, email: typed, wait });
  const account = await checkPassword(identity.pool, email, form.get("password") ?? "");
  if (!account) {
    noteFailure(identity, email);
    const error = "E-mail address and password do not belong together.";
    return signInPage(visitor, { next, email: typed, error, status: 422 });
  }
  await identity.throttle.signInWasRight(attempt);
  return enter(visitor, account, { form, way: "password" });
}

/** POST /sign-in/passkey: the browser's answer itself names the passkey and so the account. */
export async function doSignInByPasskey(visitor: Visitor, form: URLSearchParams): Promise<Response> {
  const { identity, ctx, site, holder } = visitor;
  const next = safeNext(site, form.get("next"));
  const wait = await identity.throttle.passkey(ctx.ip);
  if (wait > 0) return tooManyAttempts(visitor, { next, email: "", wait });
  const account = await findByPasskey(identity, holder, form.get("credential") ?? "");
  if (!account) {
    identity.security({ kind: "sign_in_failed", network: networkUnderWay() });
    const error =
      "No account here has this passkey, or the page was open for more than ten minutes. Try again.";
    return signInPage(visitor, { next, email: "", error, status: 422 });
  }
  await identity.throttle.passkeyWasRight(ctx.ip);
  return enter(visitor, account, { form, way: "passkey" });
}

async function enter(
  visitor: Visitor,
  { passwordHash, ...account }: CheckedAccount,
  { form, way }: Readonly<{ form: URLSearchParams; way: "password" | "passkey" }>,
): Promise<Response> {
  const { identity, ctx, site } = visitor;
  const next = safeNext(site, form.get("next"));
  const proof = { accountId: account.id, passwordHash };
  if (!(await startSession(visitor, proof, arrival(visitor, way, account)))) {
    const error = "Your password was changed just now. Sign in with the new one.";
    return signInPage(visitor, { next, email: account.email, error, status: 422 });
  }
  rememberBrowser(identity, ctx, account.email);
  await rememberBrowserZone(identity.pool, account, form.get("browser_zone"));
  return seeOther(next);
}

type Refused = Readonly<{ next: string; email: string; wait: number }>;

function tooManyAttempts(visitor: Visitor, { next, email, wait }: Refused): Promise<Response> {
  const error = `Too many attempts. Try again in ${Math.ceil(wait / 60)} minutes.`;
  const headers = { "Retry-After": String(wait) };
  return signInPage(visitor, { next, email, error, status: 429, headers });
}

/** POST /sign-out: accepts forms from any of the person's pages, also those of an earlier session. */
export async function doSignOut(visitor: Visitor): Promise<Response> {
  const { account, identity, session, site } = visitor;
  if (!account) return seeOther("/sign-in");
  const signOut = async (_visitor: Visitor, form: URLSearchParams): Promise<Response> => {
    await endAccountSessions(identity, account.id, { only: session.uid });
    dropSessionCookie(visitor);
    const answer = seeOther(safeNext(site, form.get("next")));
    // Everything that pages stored in the browser is removed.
    answer.headers.set("Clear-Site-Data", '"storage"');
    return answer;
  };
  return takeForm(signOut)({ ...visitor, askAgain: (form) => signOut(visitor, form) });
}
