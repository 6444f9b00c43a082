import { type Html, html } from "../../../shared/html.ts";
import { browserName } from "../../http/request.ts";
import { passkeyScript } from "../../web/assets.ts";
import { formToken } from "../../web/form/form.ts";
import { field, problem } from "../../web/form/form-fields.ts";
import { message } from "../../web/page.ts";
import { seeOther } from "../../web/redirect.ts";
import { deleteAccount, normalizeEmail, setEmail } from "../accounts/accounts.ts";
import { addressOf, confirmEmail, confirmPath, mailConfirmation } from "../accounts/links.ts";
import { changePassword } from "../accounts/passwords.ts";
import { type AccountSession, endAccountSessions, listSessions } from "../accounts/sessions.ts";
import {
  createPasskey,
  creationOptions,
  listPasskeys,
  maxPasskeys,
  type Passkey,
  passkeySite,
  removePasskey,
} from "../passkeys.ts";
import {
  currentPassword,
  endConnectionsField,
  type FormAnswer,
  formId,
  maxName,
  nameIn,
  nameProblem,
  newPassword,
  passwordProblem,
  timeIn,
  tooOften,
} from "./fields.ts";
import { deadLinkPage } from "./messages.ts";
import { checkCurrentPassword, wrongPassword } from "./proof.ts";
import { dropSessionCookie, framedPage, type SignedIn, startSession } from "./visitor.ts";

const linkSent = "A confirmation link is on its way. It works once and for 24 hours.";

const passwordChanged = "Your password is changed. Other browsers are signed out.";

const outcomes = new Map([
  ["password", `${passwordChanged} Your tokens, connected apps and passkeys go on working.`],
  ["password-and-connections", `${passwordChanged} Your tokens, connected apps and passkeys have ended.`],
  ["passkey", "Your passkey is added. You can sign in with it from now on."],
  ["no-passkey", "The passkey is removed. Your device may still offer it; it opens nothing here."],
  ["session", "That browser is signed out."],
  ["sessions", "All other browsers are signed out."],
  ["email", "Your e-mail address is changed. Reminders by e-mail stop until it is confirmed."],
  ["email-link", `${linkSent} Your address changes when you use it.`],
  ["link", linkSent],
  ["confirmed", "Your e-mail address is confirmed."],
]);

export function showProfile(visitor: SignedIn): Promise<Response> {
  return profilePage(visitor, { done: outcomes.get(visitor.url.searchParams.get("done") ?? "") });
}

/** The message above the parts of the page: a success, or the problem of one of its forms. */
type Notes = Readonly<{
  done?: string | undefined;
  email?: string;
  password?: string;
  passkey?: string;
}>;

/** The account's own page. With a problem it is a 422, unless `answer` has another status. */
async function profilePage(visitor: SignedIn, notes: Notes, answer: FormAnswer = {}): Promise<Response> {
  const csrf = formToken(visitor);
  const body = html`${notes.done && html`<p class="note" role="status">${notes.done}</p>`}
    <p>You are signed in as <strong>${visitor.account.email}</strong>.</p>
    <p><a href="/account/journal">What happened to this account</a>,
      and <a href="/account/data/access">who can see my data</a></p>
    ${emailSection(visitor, notes.email)}
    ${passwordSection(csrf, visitor, notes.password)}
    ${await passkeysSection(visitor, notes.passkey)}
    ${await sessionsSection(visitor)}
    ${deletionSection(csrf)}`;
  const isRefused = notes.email || notes.password || notes.passkey;
  return framedPage(visitor, { title: "Account", body }, { status: isRefused ? 422 : 200, ...answer });
}

function emailSection(visitor: SignedIn, error: string | undefined): Html {
  return html`<h2>E-mail address</h2>
    ${problem(error)}
    ${confirmationState(visitor)}
    <details class="card"${error && html` open`}><summary>Change my e-mail address</summary>
    <form method="post" action="/profile/email">${formToken(visitor)}
    ${field({ name: "email", label: "New e-mail address", type: "email", autocomplete: "email" })}
    <button>Change address</button></form></details>`;
}

function confirmationState(visitor: SignedIn): Html {
  const { email, emailVerified } = visitor.account;
  if (emailVerified) return html`<p><strong>${email}</strong> is confirmed.</p>`;
  const state = html`<strong>${email}</strong> is not confirmed. Reminders by e-mail go to confirmed addresses only.`;
  if (!visitor.identity.sendMail) {
    return html`<p>${state} Mail isn’t set up on this server, so it cannot be confirmed yet.</p>`;
  }
  return html`<form method="post" action="/profile/email/link" class="card">${formToken(visitor)}
    <p>${state}</p>
    <button>Send a confirmation link</button></form>`;
}

/**
 * POST /profile/email: the new address takes effect when the link mailed to it is used. A server that sends no mail
 * sets it at once, as unconfirmed.
 */
export async function saveEmail(visitor: SignedIn, form: URLSearchParams): Promise<Response> {
  const { identity, account } = visitor;
  const email = normalizeEmail(form.get("email") ?? "");
  const refuse = (error: string) => profilePage(visitor, { email: error });
  if (!email) return refuse("That is not an e-mail address.");
  if (email === account.email) return refuse("That is your address already.");
  if (identity.sendMail) return mailLink(visitor, { email, done: "email-link" });
  if (!(await setEmail(identity, account.id, email))) {
    return refuse("There is another account with this address.");
  }
  await identity.deliverNews();
  return seeOther("/profile?done=email");
}

export async function sendLink(visitor: SignedIn): Promise<Response> {
  const { email, emailVerified } = visitor.account;
  return emailVerified ? seeOther("/profile") : mailLink(visitor, { email, done: "link" });
}

async function mailLink(visitor: SignedIn, to: { email: string; done: string }): Promise<Response> {
  const { identity, account } = visitor;
  const { sent, waitSeconds } = await mailConfirmation(identity, { id: account.id, email: to.email });
  if (sent) return seeOther(`/profile?done=${to.done}`);
  if (waitSeconds === 0) {
    return profilePage(visitor, { email: "The mail could not be sent. Try again later." }, { status: 503 });
  }
  const answer = tooOften("Too many mails.", waitSeconds);
  return profilePage(visitor, { email: answer.error }, answer);
}

/**
 * GET of the mailed link: shows only a button, because mail scanners open links. The person must be signed in to the
 * account, so that nobody confirms an account that a stranger made with their address.
 */
export async function showLink(visitor: SignedIn): Promise<Response> {
  const { identity, account, url } = visitor;
  const token = url.searchParams.get("token") ?? "";
  const email = await addressOf(identity.pool, account.id, token);
  if (email === undefined) return deadConfirmation();
  const body = html`<p>Is <strong>${email}</strong> your address?</p>
    <form method="post" action="${confirmPath}">${formToken(visitor, { token })}
    <div class="actions"><button>Confirm my address</button></div></form>`;
  return framedPage(visitor, { title: "Confirm your e-mail address", body });
}

export async function useLink(visitor: SignedIn, form: URLSearchParams): Promise<Response> {
  const { identity, account } = visitor;
  const isDone = await confirmEmail(identity, account.id, form.get("token") ?? "");
  if (!isDone) return deadConfirmation();
  await identity.deliverNews();
  return seeOther("/profile?done=confirmed");
}

const deadConfirmation = (): Response =>
  deadLinkPage(html`It was used, is older than 24 hours, or was sent for another account or address. You can send
    a new one from <a href="/profile">your account</a>.`);

function passwordSection(csrf: Html, { account }: SignedIn, error: string | undefined): Html {
  return html`<h2>Change password</h2>
    ${problem(error)}
    <form method="post" action="/profile/password" class="card">${csrf}
    <input type="text" name="username" value="${account.email}" autocomplete="username" hidden>
    ${field({ name: "password", ...currentPassword })}
    ${field({ ...newPassword, name: "new_password", label: "New password" })}
    <p class="quiet small">Every other browser is signed out.</p>
    ${endConnectionsField}
    <button>Change password</button></form>`;
}

/** POST /profile/password: other browsers are signed out, and on request tokens and apps end too. */
export async function savePassword(visitor: SignedIn, form: URLSearchParams): Promise<Response> {
  const { identity, account } = visitor;
  const password = form.get("new_password") ?? "";
  const problem = await passwordProblem(password, account.email, identity.config);
  if (problem) return profilePage(visitor, { password: problem });
  const checked = await checkCurrentPassword(visitor, form);
  if (typeof checked === "string") return profilePage(visitor, { password: checked });
  const endsAll = form.get("connections") === "end";
  const { id: accountId, passwordHash: before } = checked;
  const wanted = { accountId, password, passwordHash: before, endsAll, way: "profile" } as const;
  const passwordHash = await changePassword(identity, wanted);
  if (passwordHash === undefined) return profilePage(visitor, { password: wrongPassword });
  // A new session replaces the present one, because somebody may have copied it.
  await startSession(visitor, { accountId, passwordHash });
  await identity.deliverNews();
  return seeOther(`/profile?done=password${endsAll ? "-and-connections" : ""}`);
}

export const passkeysPath = "/profile/passkeys";

async function passkeysSection(visitor: SignedIn, error: string | undefined): Promise<Html | undefined> {
  const { identity, account } = visitor;
  if (!passkeySite(identity.config)) return undefined;
  const passkeys = await listPasskeys(identity.pool, account.id);
  return html`<h2 id="passkeys">Passkeys</h2>
    ${problem(error)}
    <p class="quiet">A passkey signs you in with your fingerprint, your face or the code of your device, without the
      password.</p>
    <ul class="plain">${passkeys.map((passkey) => passkeyCard(visitor, passkey))}</ul>
    <form method="post" action="${passkeysPath}" class="actions">${formToken(visitor)}
    <button>Add a passkey</button></form>`;
}

function passkeyCard(visitor: SignedIn, { id, name, createdAt, lastUsedAt }: Passkey): Html {
  return html`<li class="card"><div class="spread"><h3>${name}</h3>
    <form method="post" action="${passkeysPath}/remove">${formToken(visitor, { id })}
    <button class="danger" aria-label="Remove the passkey ${name}">Remove</button></form></div>
    <dl class="facts"><dt>Added</dt><dd>${timeIn(visitor.zone, createdAt)}</dd>
    <dt>Last used</dt><dd>${lastUsedAt === null ? "Never" : timeIn(visitor.zone, lastUsedAt)}</dd></dl></li>`;
}

export async function beginPasskey(visitor: SignedIn): Promise<Response> {
  const options = await creationOptions(visitor.identity, visitor);
  if (!options) return profilePage(visitor, { passkey: "Passkeys need an address with https." });
  const name = { label: "Name", value: browserName(visitor.ctx.get("user-agent")), max: maxName };
  const body = html`<p data-no-passkey>This browser cannot make passkeys here, or its scripts are switched off.</p>
    <form method="post" action="${passkeysPath}/create" class="narrow" data-passkey="create"
      data-options="${JSON.stringify(options)}" hidden>${formToken(visitor, { credential: "" })}
    ${field({ name: "name", ...name, hint: "So that you know it again on your list." })}
    <div class="actions"><button>Make the passkey</button></div>
    <p class="error" role="status"></p></form>
    <p><a href="/profile#passkeys">Back to your account</a></p>`;
  return framedPage(visitor, { title: "Add a passkey", body, scripts: [passkeyScript] });
}

export async function finishPasskey(visitor: SignedIn, form: URLSearchParams): Promise<Response> {
  const { identity, account, holder } = visitor;
  const name = nameIn(form);
  const problem = nameProblem(name);
  if (problem) return profilePage(visitor, { passkey: problem });
  const text = form.get("credential") ?? "";
  if (!(await createPasskey(identity, { account, holder, text, name }))) {
    return profilePage(visitor, { passkey: notMade });
  }
  return seeOther("/profile?done=passkey#passkeys");
}

const notMade = `The passkey could not be added: the page was open for more than ten minutes, the device has one already, or you have ${maxPasskeys}.`;

export async function dropPasskey(visitor: SignedIn, form: URLSearchParams): Promise<Response> {
  await removePasskey(visitor.identity, visitor.account.id, formId(form));
  return seeOther("/profile?done=no-passkey#passkeys");
}

export const sessionsPath = "/profile/sessions";

/** The browsers in which the person is signed in, each with a button that signs it out. */
async function sessionsSection(visitor: SignedIn): Promise<Html> {
  const sessions = await listSessions(visitor.identity.pool, visitor.account.id);
  const hasOthers = sessions.some(({ uid }) => uid !== visitor.session.uid);
  return html`<h2 id="sessions">Where you are signed in</h2>
    <p class="quiet small">Times are those of ${visitor.zone}. An app or a token is no browser: see
      <a href="/profile/api-tokens">Tokens</a>.</p>
    <ul class="plain">${sessions.map((session) => sessionCard(visitor, session))}</ul>
    ${
      hasOthers &&
      html`<form method="post" action="${sessionsPath}/end-others">${formToken(visitor)}
      <button class="plain">Sign out all other browsers</button></form>`
    }`;
}

function sessionCard(visitor: SignedIn, { uid, userAgent, signedInAt, usedAt }: AccountSession): Html {
  const name = browserName(userAgent);
  const isThis = uid === visitor.session.uid;
  const button = html`<form method="post" action="${sessionsPath}/end">${formToken(visitor, { uid })}
    <button class="danger" aria-label="Sign out ${name}">Sign out</button></form>`;
  return html`<li class="card"><div class="spread"><h3>${name}</h3>${isThis ? html`<span>This browser</span>` : button}</div>
    <dl class="facts"><dt>Signed in</dt><dd>${timeIn(visitor.zone, signedInAt)}</dd>
    <dt>Last used</dt><dd>${isThis ? "Now" : timeIn(visitor.zone, usedAt)}</dd></dl></li>`;
}

export async function signOutBrowser(visitor: SignedIn, form: URLSearchParams): Promise<Response> {
  await endAccountSessions(visitor.identity, visitor.account.id, { only: formId(form, "uid") });
  return seeOther("/profile?done=session#sessions");
}

export async function signOutOtherBrowsers(visitor: SignedIn): Promise<Response> {
  await endAccountSessions(visitor.identity, visitor.account.id, { allBut: visitor.session.uid });
  return seeOther("/profile?done=sessions#sessions");
}

const deletionSection = (csrf: Html): Html =>
  html`<h2>Delete account</h2>
    <details class="card"><summary>Delete my account and everything in it</summary>
    <p>Your habits, todos, categories, reminders, tokens and connected apps are deleted. This cannot be undone.
      <a href="/account/data">Download everything first</a>, if you may want it again.</p>
    <form method="post" action="/profile/delete">${csrf}
    <button class="danger">Delete my account</button></form></details>`;

/** POST /profile/delete: the account and its tokens are deleted first, so that nothing more is written for it. */
export async function removeAccount(visitor: SignedIn): Promise<Response> {
  const { identity, account, site } = visitor;
  await deleteAccount(identity, account.id);
  const isGone = await identity.deliverNews();
  dropSessionCookie(visitor);
  const rest = isGone
    ? "Your habits and todos are gone with it."
    : "Your habits and todos are deleted as soon as the service can be reached.";
  return message(site, "Account deleted", `Your account is gone, and its tokens have ended. ${rest}`);
}
