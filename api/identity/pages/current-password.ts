import { checkPassword } from "../accounts/passwords.ts";
import type { SignedIn } from "./visitor.ts";

/**
 * Checks the current password that a form asks for. Attempts count for the session, so nobody else can use them up.
 * @returns why it is refused; undefined when it is right
 */
export async function passwordRefusal(
  { identity: { throttle, pool }, account, session }: SignedIn,
  form: URLSearchParams,
): Promise<string | undefined> {
  const wait = await throttle.password(session.uid);
  if (wait > 0) return `Too many attempts. Try again in ${Math.ceil(wait / 60)} minutes.`;
  if (!(await checkPassword(pool, account.email, form.get("password") ?? "")))
    return "That is not your password.";
  await throttle.passwordWasRight(session.uid);
  return undefined;
}
