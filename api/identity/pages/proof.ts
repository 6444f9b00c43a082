import { type Html, html } from "../../../shared/html.ts";
import { passkeyScript } from "../../web/assets.ts";
import { formToken, hiddenFields, takeForm } from "../../web/form/form.ts";
import { field, problem } from "../../web/form/form-fields.ts";
import { type CheckedAccount, checkPassword, noteFailure } from "../accounts/passwords.ts";
import { findByPasskey, signInOptions } from "../passkeys.ts";
import { currentPassword, tooOften } from "./fields.ts";
import { framedPage, type SignedIn, startSession, type Visitor } from "./visitor.ts";

/** Seconds for which a sign-in, a password or a passkey proves to its session that the person is there. */
const provenSeconds = 10 * 60;

const isProven = ({ session }: SignedIn): boolean =>
  Date.now() / 1_000 - (session.loginTs ?? 0) < provenSeconds;

type Act = (visitor: SignedIn, form: URLSearchParams) => Promise<Response>;

/**
 * Takes a form that gives lasting power. If the last proof is older than ten minutes, a page asks for the password or a
 * passkey, and the form is carried out together with that answer.
 * @param needsProof true for a form that needs the proof; by default each does
 */
export const takeProvenForm = (act: Act, needsProof: (form: URLSearchParams) => boolean = () => true) =>
  takeForm<SignedIn>(async (visitor, form) => {
    if (isProven(visitor) || !needsProof(form)) return act(visitor, form);
    const proof = await checkProof(visitor, form);
    if (typeof proof !== "object") return proofPage(visitor, form, proof);
    const { id: accountId, passwordHash } = proof;
    const isStarted = await startSession(visitor, { accountId, passwordHash });
    return isStarted ? act(visitor, form) : proofPage(visitor, form, wrongPassword);
  });

/** @returns the problem of a wrong proof; undefined if the form has none yet */
async function checkProof(
  visitor: SignedIn,
  form: URLSearchParams,
): Promise<CheckedAccount | string | undefined> {
  const { identity, account, holder } = visitor;
  const credential = form.get("credential");
  if (credential === null) return form.has("password") ? checkCurrentPassword(visitor, form) : undefined;
  const found = await findByPasskey(identity, holder, credential);
  return found?.id === account.id ? found : "That is not a passkey of your account. Try again.";
}

async function proofPage(visitor: SignedIn, form: URLSearchParams, error?: string): Promise<Response> {
  const sent = hiddenFields(form, "csrf", "password", "credential");
  const body = html`${problem(error)}
    <p>This gives lasting power over your account, so show first that it is you. That counts for ten minutes.</p>
    <form method="post" action="${visitor.url.pathname}" class="narrow">${formToken(visitor)}${sent}
    <input type="text" name="username" value="${visitor.account.email}" autocomplete="username" hidden>
    ${field({ name: "password", ...currentPassword, autofocus: true })}
    <div class="actions"><button>Go on</button></div></form>
    ${await passkeyForm(visitor, { action: visitor.url.pathname, label: "Go on with a passkey", more: sent })}
    <p><a href="/profile">Leave it</a></p>`;
  const content = { title: "Is it you?", body, scripts: [passkeyScript] };
  return framedPage(visitor, content, { status: error ? 422 : 403 });
}

/**
 * A form that a passkey answers. It is hidden until a script finds that the browser knows passkeys.
 * @returns undefined if the site can have none
 */
export async function passkeyForm(
  visitor: Visitor,
  { action, label, next, more }: Readonly<{ action: string; label: string; next?: string; more: Html }>,
): Promise<Html | undefined> {
  const options = await signInOptions(visitor.identity, visitor.holder);
  if (!options) return undefined;
  return html`<form method="post" action="${action}" class="narrow" data-passkey="get"
    data-options="${JSON.stringify(options)}" hidden>${formToken(visitor, { next, credential: "" })}${more}
    <div class="actions"><button class="plain">${label}</button></div>
    <p class="error" role="status"></p></form>`;
}

export const wrongPassword = "That is not your password.";

/**
 * Checks the current password in a form. Attempts count for the session, so nobody else can use them up.
 * @returns the account, or the reason why the password is refused
 */
export async function checkCurrentPassword(
  { identity, account, session }: SignedIn,
  form: URLSearchParams,
): Promise<CheckedAccount | string> {
  const { throttle, pool } = identity;
  const wait = await throttle.password(session.uid);
  if (wait > 0) return tooOften("Too many attempts.", wait).error;
  const checked = await checkPassword(pool, account.email, form.get("password") ?? "");
  if (!checked) {
    noteFailure(identity, account.email);
    return wrongPassword;
  }
  await throttle.passwordWasRight(session.uid);
  return checked;
}
