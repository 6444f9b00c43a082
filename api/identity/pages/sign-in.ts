import { html } from "../../../shared/html.ts";
import { passkeyScript, passwordScript, zoneScript } from "../../web/assets.ts";
import { formToken, takeForm } from "../../web/form/form.ts";
import { browserZoneField, field, problem } from "../../web/form/form-fields.ts";
import { page } from "../../web/page.ts";
import { safeNext, seeOther } from "../../web/redirect.ts";
import { normalizeEmail, rememberBrowserZone } from "../accounts/accounts.ts";
import { type CheckedAccount, checkPassword, noteFailure } from "../accounts/passwords.ts";
import { endAccountSessions } from "../accounts/sessions.ts";
import { networkUnderWay } from "../journal.ts";
import { findByPasskey } from "../passkeys.ts";
import { emailAddress, type FormAnswer, tooOften } from "./fields.ts";
import { passkeyForm } from "./proof.ts";
import { forgotPath } from "./recovery.ts";
import { findRequest, formTargetsOf } from "./redirects.ts";
import { dropSessionCookie, knownBrowser, saveSession, signInHere, type Visitor } from "./visitor.ts";

/** GET /sign-in?next=…: `again=yes` asks a signed-in person to prove once more who they are. */
export async function showSignIn(visitor: Visitor): Promise<Response> {
  const query = visitor.url.searchParams;
  const next = safeNext(visitor.site, query.get("next"));
  if (visitor.account && query.get("again") !== "yes") {
    // It lasts anew from now on.
    await saveSession(visitor, visitor.session);
    return seeOther(next);
  }
  return signInPage(visitor, { next, email: visitor.account?.email ?? "" });
}

export async function doSignIn(visitor: Visitor, form: URLSearchParams): Promise<Response> {
  const { identity, ctx, site } = visitor;
  const next = safeNext(site, form.get("next"));
  const typed = form.get("email") ?? "";
  const email = normalizeEmail(typed) ?? "";
  const attempt = { email, address: ctx.ip, browser: knownBrowser(visitor, email) };
  const wait = await identity.throttle.signIn(attempt);
  if (wait > 0) return signInPage(visitor, { next, email: typed, ...tooOften("Too many attempts.", wait) });
  const account = await checkPassword(identity.pool, email, form.get("password") ?? "");
  if (!account) {
    noteFailure(identity, email);
    const error = "That e-mail address and password don't match.";
    return signInPage(visitor, { next, email: typed, error });
  }
  await identity.throttle.signInWasRight(attempt);
  return enter(visitor, account, { form, way: "password" });
}

/** POST /sign-in/passkey: the browser's answer itself names the passkey and so the account. */
export async function doSignInByPasskey(visitor: Visitor, form: URLSearchParams): Promise<Response> {
  const { identity, ctx, site, holder } = visitor;
  const next = safeNext(site, form.get("next"));
  const wait = await identity.throttle.passkey(ctx.ip);
  if (wait > 0) return signInPage(visitor, { next, email: "", ...tooOften("Too many attempts.", wait) });
  const account = await findByPasskey(identity, holder, form.get("credential") ?? "");
  if (!account) {
    identity.security({ kind: "sign_in_failed", network: networkUnderWay() });
    const error =
      "No account here has this passkey, or the page was open for more than ten minutes. Try again.";
    return signInPage(visitor, { next, email: "", error });
  }
  await identity.throttle.passkeyWasRight(ctx.ip);
  return enter(visitor, account, { form, way: "passkey" });
}

async function enter(
  visitor: Visitor,
  account: CheckedAccount,
  { form, way }: Readonly<{ form: URLSearchParams; way: "password" | "passkey" }>,
): Promise<Response> {
  const next = safeNext(visitor.site, form.get("next"));
  if (!(await signInHere(visitor, account, way))) {
    const error = "Your password was changed just now. Sign in with the new one.";
    return signInPage(visitor, { next, email: account.email, error });
  }
  await rememberBrowserZone(visitor.identity.pool, account, form.get("browser_zone"));
  return seeOther(next);
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

export const passkeySignInPath = "/sign-in/passkey";

type PageData = FormAnswer & Readonly<{ next: string; email: string }>;

async function signInPage(visitor: Visitor, { next, email, error, ...options }: PageData): Promise<Response> {
  const { identity, site } = visitor;
  const query = new URLSearchParams({ next });
  const request = await findRequest(identity, next);
  const passkey = {
    action: passkeySignInPath,
    label: "Sign in with a passkey",
    next,
    more: browserZoneField,
  };
  const body = html`${problem(error)}
    ${request && html`<p>To connect <strong>${request.app}</strong>.${request.isNamed && " The app gave itself this name."}</p>`}
    <form method="post" action="/sign-in" class="narrow">${formToken(visitor, { next })}${browserZoneField}
    ${field({ ...emailAddress, value: email, autofocus: !error && email === "" })}
    ${field({
      name: "password",
      label: "Password",
      type: "password",
      autocomplete: "current-password",
      autofocus: !error && email !== "",
    })}
    <div class="actions"><button>Sign in</button></div>
    </form>
    ${await passkeyForm(visitor, passkey)}
    <p><a href="${forgotPath}">Forgot your password?</a></p>
    ${identity.config.signUpOpen && html`<p>New here? <a href="/sign-up?${query.toString()}">Create an account</a></p>`}`;
  const content = { title: "Sign in", body, scripts: [zoneScript, passwordScript, passkeyScript] };
  const status = error ? 422 : 200;
  return page(site, content, { status, ...options, formTargets: formTargetsOf(request) });
}
