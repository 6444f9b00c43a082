import type { Context } from "koa";
import { isTimeZone } from "../../form-fields.ts";
import { changePassword, deleteAccount, setTimeZone } from "../accounts.ts";
import type { Identity } from "../identity.ts";
import type { SignedIn } from "./api-tokens.ts";
import { passwordRefusal } from "./current-password.ts";
import { passwordProblem } from "./fields.ts";
import { sendProfile } from "./profile-page.ts";
import { seeOther, sendMessage } from "./respond.ts";
import { readForm, signOut } from "./visitor.ts";

const LINK_SENT = "A confirmation link is on its way. It works once and for 24 hours.";

/** What the page says after a form was saved and the browser was sent back here. */
const outcomes = new Map([
  ["password", "Your password is changed. Other browsers are signed out."],
  ["zone", "Your time zone is saved."],
  ["email", "Your e-mail address is changed."],
  ["email-link", `Your e-mail address is changed. ${LINK_SENT}`],
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

/** POST /profile/password */
export async function savePassword(identity: Identity, ctx: Context, visitor: SignedIn): Promise<void> {
  const { account, session } = visitor;
  const form = await readForm(identity, ctx, visitor);
  const password = form.get("new_password") ?? "";
  const wrong = (await passwordRefusal(identity, visitor, form)) ?? passwordProblem(password);
  if (wrong) return sendProfile(identity, ctx, visitor, { password: wrong });
  await changePassword(identity.pool, { accountId: account.id, password, sessionUid: session.uid });
  seeOther(ctx, "/profile?done=password");
}

/** POST /profile/delete: the habits and todos first, then the account with every token of it. */
export async function removeAccount(identity: Identity, ctx: Context, visitor: SignedIn): Promise<void> {
  const form = await readForm(identity, ctx, visitor);
  const wrong = await passwordRefusal(identity, visitor, form);
  if (wrong) return sendProfile(identity, ctx, visitor, { deletion: wrong });
  await identity.onAccountDeleted(visitor.account.id);
  await deleteAccount(identity.pool, visitor.account.id);
  await signOut(identity, ctx, visitor);
  sendMessage(ctx, 200, "Account deleted", "Your account is gone, with your habits, todos and tokens.");
}
