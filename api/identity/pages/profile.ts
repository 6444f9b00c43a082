import type { Context } from "koa";
import { isTimeZone } from "../../../shared/web/form-fields.ts";
import { changePassword, deleteAccount, setTimeZone } from "../accounts/accounts.ts";
import type { Identity } from "../accounts/context.ts";
import { mailPasswordNotice } from "../accounts/notices.ts";
import { revokeAll } from "../grants/grants.ts";
import type { SignedIn } from "./api-tokens.ts";
import { passwordRefusal } from "./current-password.ts";
import { passwordProblem } from "./fields.ts";
import { sendProfile } from "./profile-page.ts";
import { seeOther, sendMessage } from "./respond.ts";
import { readForm, signIn, signOut } from "./visitor.ts";

const LINK_SENT = "A confirmation link is on its way. It works once and for 24 hours.";

const PASSWORD_CHANGED = "Your password is changed. Other browsers are signed out.";

/** What the page says after a form was saved and the browser was sent back here. */
const outcomes = new Map([
  ["password", `${PASSWORD_CHANGED} Your tokens and connected apps go on working.`],
  ["password-and-connections", `${PASSWORD_CHANGED} Your tokens and connected apps have ended.`],
  ["zone", "Your time zone is saved."],
  ["email", "Your e-mail address is changed. Reminders by e-mail stop until it is confirmed."],
  ["email-link", `${LINK_SENT} Your address changes when you use it.`],
  ["link", LINK_SENT],
  ["confirmed", "Your e-mail address is confirmed."],
]);

/** GET /profile */
export function showProfile(identity: Identity, ctx: Context, visitor: SignedIn): void {
  const done = new URLSearchParams(ctx.querystring).get("done") ?? "";
  sendProfile(identity, ctx, visitor, { done: outcomes.get(done) });
}

/** POST /profile/time-zone */
export async function saveTimeZone(identity: Identity, ctx: Context, visitor: SignedIn): Promise<void> {
  const form = await readForm(identity, ctx, visitor);
  const zone = form.get("time_zone");
  if (!isTimeZone(zone)) return ctx.throw(422, "That is not a time zone.");
  await setTimeZone(identity.pool, visitor.account.id, zone);
  seeOther(ctx, "/profile?done=zone");
}

/** POST /profile/password: other browsers are signed out, and on request tokens and apps end too. */
export async function savePassword(identity: Identity, ctx: Context, visitor: SignedIn): Promise<void> {
  const { account, session } = visitor;
  const form = await readForm(identity, ctx, visitor);
  const password = form.get("new_password") ?? "";
  const wrong = (await passwordRefusal(identity, visitor, form)) ?? passwordProblem(password);
  if (wrong) return sendProfile(identity, ctx, visitor, { password: wrong });
  await changePassword(identity, { accountId: account.id, password, sessionUid: session.uid });
  // Under a new session id, in case somebody has copied this one.
  await signIn(identity, ctx, account.id);
  const endsAll = form.get("connections") === "end";
  if (endsAll) await revokeAll(identity, account.id);
  await identity.deliverNews();
  await mailPasswordNotice(identity, account);
  seeOther(ctx, `/profile?done=password${endsAll ? "-and-connections" : ""}`);
}

/** POST /profile/delete: the account with every token of it first, so that nothing is written any more. */
export async function removeAccount(identity: Identity, ctx: Context, visitor: SignedIn): Promise<void> {
  const form = await readForm(identity, ctx, visitor);
  const wrong = await passwordRefusal(identity, visitor, form);
  if (wrong) return sendProfile(identity, ctx, visitor, { deletion: wrong });
  await deleteAccount(identity.pool, visitor.account.id);
  const isGone = await identity.deliverNews();
  await signOut(identity, ctx, visitor);
  const rest = isGone
    ? "Your habits and todos are gone with it."
    : "Your habits and todos are deleted as soon as the service can be reached.";
  sendMessage(ctx, 200, "Account deleted", `Your account is gone, and its tokens have ended. ${rest}`);
}
