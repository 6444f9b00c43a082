import { html } from "../../../shared/html.ts";
import { toRun } from "../../../shared/process/to-run.ts";
import { passkeyScript, passwordScript, zoneScript } from "../../web/assets.ts";
import { formToken, takeForm } from "../../web/form/form.ts";
import { browserZoneField, field, problem } from "../../web/form/form-fields.ts";
import { message, page } from "../../web/page.ts";
import { safeNext, seeOther } from "../../web/redirect.ts";
import type { Site } from "../../web/site.ts";
import { type Account, normalizeEmail, rememberBrowserZone } from "../accounts/accounts.ts";
import { findLinkAccount, signInLinkPath, useSignInLink } from "../accounts/links.ts";
import { type CheckedAccount, changePassword, checkPassword, noteFailure } from "../accounts/passwords.ts";
import { endAccountSessions } from "../accounts/sessions.ts";
import { networkUnderWay } from "../journal.ts";
import { findByPasskey } from "../passkeys.ts";
import {
  emailAddress,
  endConnectionsField,
  linkPageOptions,
  newPassword,
  passwordProblem,
  tooOften,
} from "./fields.ts";
import { forgotPath } from "./forgotten-password.ts";
import { passkeyForm } from "./proof.ts";
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

/** POST /sign-in */
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
  if (wait > 0) return signInPage(visitor, { next, email: "", ...tooOften("Too many attempts.", wait) });
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
  account: CheckedAccount,
  { form, way }: Readonly<{ form: URLSearchParams; way: "password" | "passkey" }>,
): Promise<Response> {
  const next = safeNext(visitor.site, form.get("next"));
  if (!(await signInHere(visitor, account, way))) {
    const error = "Your password was changed just now. Sign in with the new one.";
    return signInPage(visitor, { next, email: account.email, error, status: 422 });
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

const passkeySignIn = {
  action: passkeySignInPath,
  label: "Sign in with a passkey",
  more: browserZoneField,
};

type PageData = Readonly<{
  next: string;
  email: string;
  error?: string;
  status?: number;
  headers?: Record<string, string>;
}>;

/** The sign-in page, with the problem of a failed attempt. */
async function signInPage(visitor: Visitor, { next, email, error, ...options }: PageData): Promise<Response> {
  const { identity, site } = visitor;
  const query = new URLSearchParams({ next });
  const request = await findRequest(identity, next);
  const body = html`${problem(error)}
    ${request && html`<p>To connect <strong>${request.app}</strong>. The app gave itself this name.</p>`}
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
    ${await passkeyForm(visitor, { ...passkeySignIn, next })}
    <p><a href="${forgotPath}">Forgot your password?</a></p>
    ${identity.config.signUpOpen && html`<p>New here? <a href="/sign-up?${query.toString()}">Create an account</a></p>`}`;
  const content = { title: "Sign in", body, scripts: [zoneScript, passwordScript, passkeyScript] };
  return page(site, content, { ...options, formTargets: formTargetsOf(request) });
}

/** GET of a one-time link from the operator: shows only a form, because link previews open links too. */
export async function showSignInLink(visitor: Visitor): Promise<Response> {
  const token = visitor.url.searchParams.get("token") ?? "";
  const account = await accountOf(visitor, token);
  return account ? signInLinkPage(visitor, { account, token }) : deadLinkPage(visitor.site);
}

/** POST of the link's page: signs in, with a new password if one was chosen, and goes on to the account pages. */
export async function doSignInByLink(visitor: Visitor, form: URLSearchParams): Promise<Response> {
  const { identity, site } = visitor;
  const { pool, config, log } = identity;
  const token = form.get("token") ?? "";
  const account = await accountOf(visitor, token);
  if (!account) return deadLinkPage(site);
  const password = form.get("password") ?? "";
  const endsAll = form.get("connections") === "end";
  const isChosen = password !== "" || endsAll;
  const error = isChosen ? await passwordProblem(password, account.email, config) : undefined;
  if (error !== undefined) return signInLinkPage(visitor, { account, token, error });
  if (!(await useSignInLink(pool, { token, address: config.authUrl }))) return deadLinkPage(site);
  if (password !== "") {
    await changePassword(identity, { accountId: account.id, password, endsAll, way: "link" });
    await identity.deliverNews();
  }
  log.info("somebody signed in by a one-time link that the operator made");
  await rememberBrowserZone(pool, account, form.get("browser_zone"));
  await signInHere(visitor, account, "link");
  return seeOther("/account");
}

const accountOf = ({ identity: { pool, config } }: Visitor, token: string) =>
  findLinkAccount(pool, { token, address: config.authUrl });

type LinkPage = Readonly<{ account: Account; token: string; error?: string }>;

function signInLinkPage(visitor: Visitor, { account, token, error }: LinkPage): Response {
  const body = html`<p>This signs you in as <strong>${account.email}</strong> in this browser. The link works once.</p>
    <form method="post" action="${signInLinkPath}" class="narrow">${formToken(visitor, { token })}${browserZoneField}
    ${field({
      name: "password",
      ...newPassword,
      label: "New password (if you want one)",
      hint: `${newPassword.hint} Leave it empty to keep the one you have.`,
      error,
      required: false,
    })}
    ${endConnectionsField}
    <div class="actions"><button>Sign in</button></div></form>`;
  const content = { title: "Sign in by a link", body, scripts: [zoneScript] };
  return page(visitor.site, content, linkPageOptions(error));
}

function deadLinkPage(site: Site): Response {
  const text = html`It was used, is older than ten minutes, or there is a newer one. <code>${toRun("owner")}</code> makes
    a new one.`;
  return message(site, "This link does not work", text, { status: 410, link: null });
}
