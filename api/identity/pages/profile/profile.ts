import { message } from "../../../web/page.ts";
import { seeOther } from "../../../web/redirect.ts";
import { deleteAccount } from "../../accounts/accounts.ts";
import { changePassword } from "../../accounts/passwords/passwords.ts";
import { passwordProblem } from "../fields.ts";
import { dropSessionCookie, type SignedIn, startSession } from "../visitor.ts";
import { checkCurrentPassword, wrongPassword } from "./current-password.ts";
import { profilePage } from "./profile-page.ts";

const linkSent = "A confirmation link is on its way. It works once and for 24 hours.";

const passwordChanged = "Your password is changed. Other browsers are signed out.";

/** Messages after a form was saved and the browser was redirected here. */
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

/** GET /profile */
export function showProfile(visitor: SignedIn): Promise<Response> {
  return profilePage(visitor, { done: outcomes.get(visitor.url.searchParams.get("done") ?? "") });
}

/** POST /profile/password: other browsers are signed out, and on request tokens and apps end too. */
export async function savePassword(visitor: SignedIn, form: URLSearchParams): Promise<Response> {
  const { identity, account } = visitor;
  const accountId = account.id;
  const password = form.get("new_password") ?? "";
  const problem = await passwordProblem(password, account.email, identity.config);
  if (problem) return profilePage(visitor, { password: problem });
  const checked = await checkCurrentPassword(visitor, form);
  if (typeof checked === "string") return profilePage(visitor, { password: checked });
  const endsAll = form.get("connections") === "end";
  const before = checked.passwordHash;
  const passwordHash = await changePassword(identity, {
    accountId,
    password,
    passwordHash: before,
    endsAll,
    way: "profile",
  });
  if (passwordHash === undefined) return profilePage(visitor, { password: wrongPassword });
  // A new session replaces the present one, because somebody may have copied it.
  await startSession(visitor, { accountId, passwordHash });
  await identity.deliverNews();
  return seeOther(`/profile?done=password${endsAll ? "-and-connections" : ""}`);
}

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
