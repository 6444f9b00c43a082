import type { Account } from "./accounts.ts";
import type { IdentityContext } from "./context.ts";
import { mailOf } from "./mail.ts";

type Notice = Readonly<{ subject: string; what: string }>;

/** Tells the owner of a new password, in case somebody else set it. */
export function mailPasswordNotice(identity: IdentityContext, account: Account): Promise<void> {
  return mailNotice(identity, account, {
    subject: "Your password for Kept was changed",
    what: `The password of your account of Kept was changed, and other browsers were signed out.`,
  });
}

/** Tells the owner of a new passkey, because it may still sign in after a change of password. */
export function mailPasskeyNotice(identity: IdentityContext, account: Account): Promise<void> {
  return mailNotice(identity, account, {
    subject: "A passkey was added to your account of Kept",
    what: `Your account of Kept has a new passkey, which signs in without the password.`,
  });
}

/** Tells the account's previous address that it was replaced. */
export function mailAddressNotice(identity: IdentityContext, before: Account): Promise<void> {
  return mailNotice(identity, before, {
    subject: "Your e-mail address for Kept was changed",
    what: `Your account of Kept has another e-mail address now. Kept sends nothing more to ${before.email}.`,
  });
}

async function mailNotice(
  { sendMail, throttle, config }: IdentityContext,
  to: Account,
  notice: Notice,
): Promise<void> {
  if (!sendMail || (await throttle.notice(to)) > 0) return;
  const { subject, what } = notice;
  const otherwise =
    "If it was not you, sign in, change your password and end the passkeys, tokens and apps that you do not know:";
  await sendMail(
    mailOf({ to: to.email, subject, lines: [what, otherwise], link: `${config.authUrl}/profile` }),
  );
}
