import { html } from "../../../shared/html.ts";
import { toRun } from "../../../shared/process/to-run.ts";
import { passwordScript } from "../../web/assets.ts";
import { formToken } from "../../web/form/form.ts";
import { field, problem } from "../../web/form/form-fields.ts";
import { message, page } from "../../web/page.ts";
import { seeOther } from "../../web/redirect.ts";
import type { Site } from "../../web/site.ts";
import { type Account, normalizeEmail } from "../accounts/accounts.ts";
import { findResetAccount, mailReset, resetPath } from "../accounts/links.ts";
import { changePassword } from "../accounts/passwords.ts";
import { resetMinutes } from "../accounts/throttle.ts";
import {
  emailAddress,
  endConnectionsField,
  linkPageOptions,
  newPassword,
  passwordProblem,
  tooOften,
} from "./fields.ts";
import { signInHere, type Visitor } from "./visitor.ts";

export const forgotPath = "/forgot-password";

/** GET /forgot-password: asks for the address, or names who can help if this server sends no mail. */
export function showForgot(visitor: Visitor): Response {
  if (visitor.identity.sendMail) return forgotPage(visitor, {});
  const text = html`This server sends no mail, so it cannot send you a link. ${operatorHelps}`;
  return message(visitor.site, "Forgot your password?", text, signInLink);
}

/**
 * POST /forgot-password: the answer is the same for unknown addresses, and does not wait for the mail, so that its time
 * tells nothing either.
 */
export async function doForgot(visitor: Visitor, form: URLSearchParams): Promise<Response> {
  const { identity, ctx, site } = visitor;
  if (!identity.sendMail) return showForgot(visitor);
  const typed = form.get("email") ?? "";
  const email = normalizeEmail(typed);
  if (!email) return forgotPage(visitor, { email: typed, error: "That is not an e-mail address." });
  const wait = await identity.throttle.reset({ email, address: ctx.ip });
  if (wait > 0)
    return forgotPage(visitor, { email: typed, ...tooOften("Too many mails were asked for.", wait) });
  mailReset(identity, email).catch((error) =>
    identity.log.warn({ reason: String(error) }, "a link for a new password could not be made"),
  );
  const text = html`If <strong>${email}</strong> is the confirmed address of an account, a mail is on its way to it.
    The link in it works once and for ${resetMinutes} minutes.`;
  return message(site, "Look into your mail", text, signInLink);
}

const signInLink = { link: { href: "/sign-in", label: "Back to the sign-in" } };

const operatorHelps = html`Whoever runs the server can: <code>${toRun("owner")}</code> prints a link that signs the owner
  in, and <code>${toRun("owner ada@example.org")}</code> one for another account. On its page a new password is chosen.`;

type PageData = Readonly<{
  email?: string;
  error?: string;
  status?: number;
  headers?: Record<string, string>;
}>;

function forgotPage(visitor: Visitor, { email = "", error, status, headers }: PageData): Response {
  const body = html`${problem(error)}
    <p>We mail you a link with which you choose a new one.</p>
    <form method="post" action="${forgotPath}" class="narrow">${formToken(visitor)}
    ${field({ ...emailAddress, value: email })}
    <div class="actions"><button>Send the link</button></div></form>
    <details><summary>No mail comes?</summary><p>It goes to confirmed addresses only. ${operatorHelps}</p></details>
    <p><a href="/sign-in">Back to the sign-in</a></p>`;
  const content = { title: "Forgot your password?", body };
  return page(visitor.site, content, { status: status ?? (error ? 422 : 200), ...(headers && { headers }) });
}

/** GET of the mailed link: shows only a form, because mail scanners open links. */
export async function showReset(visitor: Visitor): Promise<Response> {
  const token = visitor.url.searchParams.get("token") ?? "";
  const account = await findResetAccount(visitor.identity.pool, token);
  return account ? resetPage(visitor, { account, token }) : deadLinkPage(visitor.site);
}

/** POST of the link's page: sets the password, ends every session and signs in here. */
export async function doReset(visitor: Visitor, form: URLSearchParams): Promise<Response> {
  const { identity, site } = visitor;
  const token = form.get("token") ?? "";
  const account = await findResetAccount(identity.pool, token);
  if (!account) return deadLinkPage(site);
  const password = form.get("password") ?? "";
  const error = await passwordProblem(password, account.email, identity.config);
  if (error) return resetPage(visitor, { account, token, error });
  const endsAll = form.get("connections") === "end";
  const passwordHash = await changePassword(identity, {
    accountId: account.id,
    password,
    resetToken: token,
    endsAll,
    way: "reset",
  });
  if (passwordHash === undefined) return deadLinkPage(site);
  await identity.deliverNews();
  await signInHere(visitor, { ...account, passwordHash }, "reset");
  return seeOther("/account");
}

type ResetPage = Readonly<{ account: Account; token: string; error?: string }>;

function resetPage(visitor: Visitor, { account, token, error }: ResetPage): Response {
  const body = html`<p>For the account of <strong>${account.email}</strong>. Every other browser is signed out.</p>
    <form method="post" action="${resetPath}" class="narrow">${formToken(visitor, { token })}
    <input type="text" name="username" value="${account.email}" autocomplete="username" hidden>
    ${field({ name: "password", ...newPassword, label: "New password", error })}
    ${endConnectionsField}
    <div class="actions"><button>Save and sign in</button></div></form>`;
  const content = { title: "Choose a new password", body, scripts: [passwordScript] };
  return page(visitor.site, content, linkPageOptions(error));
}

function deadLinkPage(site: Site): Response {
  const link = { href: forgotPath, label: "Send a new link" };
  const text = `It was used or is older than ${resetMinutes} minutes.`;
  return message(site, "This link does not work", text, { status: 410, link });
}
