import type { Context } from "koa";
import { checkPassword } from "../accounts.ts";
import type { Identity } from "../identity.ts";
import type { SignedIn } from "./api-tokens.ts";

/** Why a form's current password does not count; undefined when it is right. Throttled like a sign-in. */
export async function passwordRefusal(
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
