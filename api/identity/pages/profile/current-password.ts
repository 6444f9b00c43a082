import { noteFailure } from "../../accounts/failures.ts";
import { type CheckedAccount, checkPassword } from "../../accounts/passwords/passwords.ts";
import type { SignedIn } from "../visitor.ts";

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
  if (wait > 0) return `Too many attempts. Try again in ${Math.ceil(wait / 60)} minutes.`;
  const checked = await checkPassword(pool, account.email, form.get("password") ?? "");
  if (!checked) {
    noteFailure(identity, account.email);
    return wrongPassword;
  }
  await throttle.passwordWasRight(session.uid);
  return checked;
}
