import type { Account } from "./accounts.ts";
import type { IdentityContext } from "./context.ts";
import { mailOf } from "./mail.ts";

type Notice = Readonly<{ subject: string; what: string }>;

/** Tells the account's owner of a new password: if it was somebody else, this is how they learn of it. */
export function mailPasswordNotice(identity: IdentityContext, account: Account): Promise<void> {
  return mailNotice(identity, account, {
    subject: "Your password for Kept was changed",
    what: `The password of your account of Kept was changed, and other browsers were signed out.`,
  });
}

/** Tells the address that an account had so far of the new one. */
export function mailAddressNotice(identity: IdentityContext, before: Account): Promise<void> {
  return mailNotice(identity, before, {
    subject: "Your e-mail address for Kept was changed",
    what: `Your account of Kept has another e-mail address now. Nothing more is sent to ${before.email}.`,
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
    "If it was not you, sign in, change your password and end the tokens and apps that you do not know:";
  await sendMail(
    mailOf({ to: to.email, subject, lines: [what, otherwise], link: `${config.authUrl}/profile` }),
  );
}
