import { type Endable, events, sayEvent, sayOrigin } from "../../../shared/domain/journal/events.ts";
import { html } from "../../../shared/html.ts";
import { toRun } from "../../../shared/process/to-run.ts";
import { passwordScript, zoneScript } from "../../web/assets.ts";
import { formToken } from "../../web/form/form.ts";
import { browserZoneField, field, problem } from "../../web/form/form-fields.ts";
import { message, page } from "../../web/page.ts";
import { seeOther } from "../../web/redirect.ts";
import { type Account, normalizeEmail, rememberBrowserZone, zoneOf } from "../accounts/accounts.ts";
import {
  findLinkAccount,
  findResetAccount,
  mailReset,
  resetPath,
  signInLinkPath,
  useSignInLink,
} from "../accounts/links.ts";
import { changePassword } from "../accounts/passwords.ts";
import { resetMinutes } from "../accounts/throttle.ts";
import { endByNotice, findNotice, type Notice, noticeDays, notMePath } from "../notices.ts";
import {
  emailAddress,
  endConnectionsField,
  type FormAnswer,
  newPassword,
  passwordProblem,
  timeIn,
  tooOften,
} from "./fields.ts";
import { deadLinkPage } from "./messages.ts";
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

function forgotPage(
  visitor: Visitor,
  { email = "", error, ...options }: FormAnswer & Readonly<{ email?: string }>,
): Response {
  const body = html`${problem(error)}
    <p>We mail you a link with which you choose a new one.</p>
    <form method="post" action="${forgotPath}" class="narrow">${formToken(visitor)}
    ${field({ ...emailAddress, value: email })}
    <div class="actions"><button>Send the link</button></div></form>
    <details><summary>No mail comes?</summary><p>It goes to confirmed addresses only. ${operatorHelps}</p></details>
    <p><a href="/sign-in">Back to the sign-in</a></p>`;
  const content = { title: "Forgot your password?", body };
  return page(visitor.site, content, { status: error ? 422 : 200, ...options });
}

/** The answer with the page of a mailed link, whose address has a token: no request from it may send that as a referrer. */
const linkPageOptions = (error?: string) => ({
  status: error ? 422 : 200,
  headers: { "Referrer-Policy": "strict-origin" },
});

/** GET of the mailed link: shows only a form, because mail scanners open links. */
export async function showReset(visitor: Visitor): Promise<Response> {
  const token = visitor.url.searchParams.get("token") ?? "";
  const account = await findResetAccount(visitor.identity.pool, token);
  return account ? resetPage(visitor, { account, token }) : deadReset();
}

export async function doReset(visitor: Visitor, form: URLSearchParams): Promise<Response> {
  const { identity } = visitor;
  const token = form.get("token") ?? "";
  const account = await findResetAccount(identity.pool, token);
  if (!account) return deadReset();
  const password = form.get("password") ?? "";
  const error = await passwordProblem(password, account.email, identity.config);
  if (error) return resetPage(visitor, { account, token, error });
  const endsAll = form.get("connections") === "end";
  const wanted = { accountId: account.id, password, resetToken: token, endsAll, way: "reset" } as const;
  const passwordHash = await changePassword(identity, wanted);
  if (passwordHash === undefined) return deadReset();
  await identity.deliverNews();
  await signInHere(visitor, { ...account, passwordHash }, "reset");
  return seeOther("/account");
}

type LinkPage = Readonly<{ account: Account; token: string; error?: string }>;

function resetPage(visitor: Visitor, { account, token, error }: LinkPage): Response {
  const body = html`<p>For the account of <strong>${account.email}</strong>. Every other browser is signed out.</p>
    <form method="post" action="${resetPath}" class="narrow">${formToken(visitor, { token })}
    <input type="text" name="username" value="${account.email}" autocomplete="username" hidden>
    ${field({ name: "password", ...newPassword, label: "New password", error })}
    ${endConnectionsField}
    <div class="actions"><button>Save and sign in</button></div></form>`;
  const content = { title: "Choose a new password", body, scripts: [passwordScript] };
  return page(visitor.site, content, linkPageOptions(error));
}

const deadReset = (): Response =>
  deadLinkPage(`It was used or is older than ${resetMinutes} minutes.`, {
    link: { href: forgotPath, label: "Send a new link" },
  });

/** GET of a one-time link from the operator: shows only a form, because link previews open links too. */
export async function showSignInLink(visitor: Visitor): Promise<Response> {
  const token = visitor.url.searchParams.get("token") ?? "";
  const account = await accountOf(visitor, token);
  return account ? signInLinkPage(visitor, { account, token }) : deadSignIn();
}

/** POST of the link's page: signs in, with a new password if one was chosen, and goes on to the account pages. */
export async function doSignInByLink(visitor: Visitor, form: URLSearchParams): Promise<Response> {
  const { identity } = visitor;
  const { pool, config, log } = identity;
  const token = form.get("token") ?? "";
  const account = await accountOf(visitor, token);
  if (!account) return deadSignIn();
  const password = form.get("password") ?? "";
  const endsAll = form.get("connections") === "end";
  const isChosen = password !== "" || endsAll;
  const error = isChosen ? await passwordProblem(password, account.email, config) : undefined;
  if (error !== undefined) return signInLinkPage(visitor, { account, token, error });
  if (!(await useSignInLink(pool, { token, address: config.authUrl }))) return deadSignIn();
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

const deadSignIn = (): Response =>
  deadLinkPage(
    html`It was used, is older than ten minutes, or there is a newer one. <code>${toRun("owner")}</code> makes
    a new one.`,
    { link: null },
  );

/** GET of the link in a message: shows only a button, because mail scanners open links. */
export async function showNotMe(visitor: Visitor): Promise<Response> {
  const { identity, site, url } = visitor;
  const token = url.searchParams.get("token") ?? "";
  const notice = await findNotice(identity, token);
  if (!notice) return deadNotice();
  const zone = await zoneOf(identity, { id: notice.accountId, timeZone: null });
  const { button } = words[endingOf(notice)];
  const body = html`<p>${sayEvent(notice.kind, notice.details)}</p>
    <p class="quiet">${sayOrigin(notice.details)} ${timeIn(zone, notice.at)} (${zone})</p>
    <form method="post" action="${notMePath}">${formToken(visitor, { token })}
    <div class="actions"><button class="danger">${button}</button></div></form>
    <p class="quiet">If it was you, leave this page; nothing happens.</p>`;
  return page(site, { title: "Was it not you?", body }, linkPageOptions());
}

export async function endNotMe(visitor: Visitor, form: URLSearchParams): Promise<Response> {
  const { identity, site } = visitor;
  const notice = await findNotice(identity, form.get("token") ?? "");
  if (!notice) return deadNotice();
  const ends = endingOf(notice);
  await endByNotice(identity, notice, ends);
  const link = { href: forgotPath, label: "Choose a new password" };
  return message(site, words[ends].title, words[ends].text, { link });
}

const endingOf = ({ kind }: Notice): Endable => events[kind].told?.ends ?? "password";

const mayKnow = "Whoever did it may know your password or have your device. Choose a new password, too.";

const words: Readonly<Record<Endable, Readonly<{ button: string; title: string; text: string }>>> = {
  token: { button: "It was not me: end it", title: "It has ended", text: mayKnow },
  session: { button: "It was not me: sign it out", title: "That browser is signed out", text: mayKnow },
  passkey: { button: "It was not me: remove it", title: "The passkey is removed", text: mayKnow },
  password: {
    button: "It was not me: sign out all browsers",
    title: "All browsers are signed out",
    text: "A link for a new password is on its way to your address, if it is confirmed. There you can also end all passkeys, tokens and apps. Whoever runs the server can help if no mail comes.",
  },
};

const deadNotice = (): Response => deadLinkPage(`It was used or is older than ${noticeDays} days.`);
