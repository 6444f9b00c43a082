import { checkPassword } from "../accounts/accounts.ts";
import type { Identity } from "../accounts/context.ts";
import type { SignedIn } from "./api-tokens.ts";

/** Why a form's current password does not count; undefined when it is right. Counted for the session: nobody else can use it up. */
export async function passwordRefusal(
  { throttle, pool }: Identity,
  { account, session }: SignedIn,
  form: URLSearchParams,
): Promise<string | undefined> {
  const wait = await throttle.password(session.uid);
  if (wait > 0) return `Too many attempts. Try again in ${Math.ceil(wait / 60)} minutes.`;
  if (!(await checkPassword(pool, account.email, form.get("password") ?? "")))
    return "That is not your password.";
  await throttle.passwordWasRight(session.uid);
  return undefined;
}
