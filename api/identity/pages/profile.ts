import type { Context } from "koa";
import { html } from "../../html.ts";
import { changePassword, checkPassword, deleteAccount, setTimeZone } from "../accounts.ts";
import type { Identity } from "../identity.ts";
import type { SignedIn } from "./api-tokens.ts";
import { field, isTimeZone, newPassword, passwordProblem, problem, zoneField } from "./fields.ts";
import { seeOther, sendMessage, sendPage } from "./respond.ts";
import { formToken, frame, readForm, signOut } from "./visitor.ts";

type Said = { done?: string; password?: string | undefined; deletion?: string | undefined };

/** GET /profile */
export function showProfile(identity: Identity, ctx: Context, visitor: SignedIn): void {
  const done = new URLSearchParams(ctx.querystring).get("done");
  sendProfile(identity, ctx, visitor, {
    ...(done === "password" && { done: "Your password is changed. Other browsers are signed out." }),
    ...(done === "zone" && { done: "Your time zone is saved." }),
  });
}

/** POST /profile/time-zone */
export async function saveTimeZone(identity: Identity, ctx: Context, visitor: SignedIn): Promise<void> {
  const form = await readForm(identity, ctx, visitor);
  const zone = form.get("time_zone");
  if (!isTimeZone(zone)) return ctx.throw(422, "That is not a time zone.");
  await setTimeZone(identity.pool, visitor.account.id, zone);
  seeOther(ctx, "/profile?done=zone");
}

/** POST /profile/password */
export async function savePassword(identity: Identity, ctx: Context, visitor: SignedIn): Promise<void> {
  const { account, session } = visitor;
  const form = await readForm(identity, ctx, visitor);
  const password = form.get("new_password") ?? "";
  const wrong = (await passwordRefusal(identity, ctx, visitor, form)) ?? passwordProblem(password);
  if (wrong) return sendProfile(identity, ctx, visitor, { password: wrong });
  await changePassword(identity.pool, { accountId: account.id, password, sessionUid: session.uid });
  seeOther(ctx, "/profile?done=password");
}

/** POST /profile/delete: the habits and todos first, then the account with every token of it. */
export async function removeAccount(identity: Identity, ctx: Context, visitor: SignedIn): Promise<void> {
  const form = await readForm(identity, ctx, visitor);
  const wrong = await passwordRefusal(identity, ctx, visitor, form);
  if (wrong) return sendProfile(identity, ctx, visitor, { deletion: wrong });
  await identity.onAccountDeleted(visitor.account.id);
  await deleteAccount(identity.pool, visitor.account.id);
  await signOut(identity, ctx, visitor);
  sendMessage(ctx, 200, "Account deleted", "Your account is gone, with your habits, todos and tokens.");
}

/** Why the current password does not count; undefined when it is right. Throttled like a sign-in. */
async function passwordRefusal(
  { throttle, pool }: Identity,
  ctx: Context,
  { account }: SignedIn,
  form: URLSearchParams,
): Promise<string | undefined> {
  const wait = await throttle.password(account.email, ctx.ip);
  if (wait > 0) return `Too many attempts. Try again in ${Math.ceil(wait / 60)} minutes.`;
  if (!(await checkPassword(pool, account.email, form.get("password") ?? "")))
    return "That is not your password.";
  await throttle.passwordWasRight(account.email);
  return undefined;
}

function sendProfile(identity: Identity, ctx: Context, visitor: SignedIn, said: Said): void {
  const { account } = visitor;
  const csrf = formToken(identity, visitor);
  const current = { type: "password", label: "Current password", autocomplete: "current-password" } as const;
  const body = html`${said.done && html`<p class="note" role="status">${said.done}</p>`}
    <p>You are signed in as <strong>${account.email}</strong>.</p>
    <h2>Time zone</h2>
    <form method="post" action="/profile/time-zone" class="card">${csrf}
    ${zoneField(account.timeZone ?? identity.config.defaultTimeZone)}
    <p class="quiet small">Decides when your day ends, unless you chose another zone in the settings of Kept.</p>
    <button>Save time zone</button></form>
    <h2>Change password</h2>
    ${problem(said.password)}
    <form method="post" action="/profile/password" class="card">${csrf}
    <input type="text" name="username" value="${account.email}" autocomplete="username" hidden>
    ${field({ name: "password", ...current })}
    ${field({ ...newPassword, name: "new_password", label: "New password" })}
    <button>Change password</button></form>
    <h2>Delete account</h2>
    ${problem(said.deletion)}
    <details class="card"${said.deletion && html` open`}><summary>Delete my account and everything in it</summary>
    <p>Your habits, todos, categories, reminders, tokens and connected apps are deleted. This cannot be undone.</p>
    <form method="post" action="/profile/delete">${csrf}
    <div class="field"><label for="delete-password">Current password</label>
    <input id="delete-password" name="password" type="password" autocomplete="current-password" required></div>
    <button class="danger">Delete my account</button></form></details>`;
  const page = { title: "Account", body, ...frame(identity, visitor, "/profile") };
  sendPage(ctx, page, { status: said.password || said.deletion ? 422 : 200 });
}
