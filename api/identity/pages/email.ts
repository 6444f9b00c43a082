import type { Context } from "koa";
import { html } from "../../../shared/web/html.ts";
import { findAccount, normalizeEmail, setEmail } from "../accounts/accounts.ts";
import { addressOf, confirmEmail, confirmPath, mailConfirmation } from "../accounts/confirmation.ts";
import type { Identity } from "../accounts/context.ts";
import { mailAddressNotice } from "../accounts/notices.ts";
import type { SignedIn } from "./api-tokens.ts";
import { passwordRefusal } from "./current-password.ts";
import { sendProfile } from "./profile-page.ts";
import { seeOther, sendMessage, sendPage } from "./respond.ts";
import { formToken, frame, readForm } from "./visitor.ts";

/**
 * POST /profile/email: the new address counts when its own link is used. A server that sends no mail has nothing to
 * wait for: there it counts at once, and as unconfirmed.
 */
export async function saveEmail(identity: Identity, ctx: Context, visitor: SignedIn): Promise<void> {
  const { account } = visitor;
  const form = await readForm(identity, ctx, visitor);
  const email = normalizeEmail(form.get("email") ?? "");
  const refuse = (wrong: string) => sendProfile(identity, ctx, visitor, { email: wrong });
  if (!email) return refuse("That is not an e-mail address.");
  if (email === account.email) return refuse("That is your address already.");
  const wrong = await passwordRefusal(identity, visitor, form);
  if (wrong) return refuse(wrong);
  if (identity.sendMail) return mailLink(identity, ctx, visitor, { email, done: "email-link" });
  if (!(await setEmail(identity.pool, account.id, email))) {
    return refuse("There is another account with this address.");
  }
  await identity.deliverNews();
  seeOther(ctx, "/profile?done=email");
}

/** POST /profile/email/link: mails a confirmation link for the present address. */
export async function sendLink(identity: Identity, ctx: Context, visitor: SignedIn): Promise<void> {
  await readForm(identity, ctx, visitor);
  const { email, emailVerified } = visitor.account;
  if (emailVerified) return seeOther(ctx, "/profile");
  await mailLink(identity, ctx, visitor, { email, done: "link" });
}

type Link = { email: string; done: string };

async function mailLink(
  identity: Identity,
  ctx: Context,
  visitor: SignedIn,
  { email, done }: Link,
): Promise<void> {
  const { sent, waitSeconds } = await mailConfirmation(identity, { id: visitor.account.id, email });
  if (sent) return seeOther(ctx, `/profile?done=${done}`);
  if (waitSeconds === 0) {
    const failed = "The mail could not be sent. Try again later.";
    return sendProfile(identity, ctx, visitor, { email: failed, status: 503 });
  }
  ctx.set("Retry-After", String(waitSeconds));
  const tooMany = `Too many mails. Try again in ${Math.ceil(waitSeconds / 60)} minutes.`;
  sendProfile(identity, ctx, visitor, { email: tooMany, status: 429 });
}

/**
 * GET of the mailed link: only a page with a button, because mail scanners open links. It is for people signed in
 * to the account, so that nobody confirms an account that a stranger made with their address.
 */
export async function showLink(identity: Identity, ctx: Context, visitor: SignedIn): Promise<void> {
  const { account } = visitor;
  const token = new URLSearchParams(ctx.querystring).get("token") ?? "";
  const email = await addressOf(identity.pool, account.id, token);
  if (email === undefined) return sendDeadLink(ctx);
  const body = html`<p>Is <strong>${email}</strong> your address?</p>
    <form method="post" action="${confirmPath}">${formToken(identity, visitor)}
    <input type="hidden" name="token" value="${token}">
    <div class="actions"><button>Confirm my address</button></div></form>`;
  sendPage(ctx, { title: "Confirm your e-mail address", body, ...frame(identity, visitor) });
}

/** POST of the link's page: uses the link up. */
export async function useLink(identity: Identity, ctx: Context, visitor: SignedIn): Promise<void> {
  const form = await readForm(identity, ctx, visitor);
  const isDone = await confirmEmail(identity.pool, visitor.account.id, form.get("token") ?? "");
  if (!isDone) return sendDeadLink(ctx);
  await identity.deliverNews();
  const now = await findAccount(identity.pool, visitor.account.id);
  if (now?.email !== visitor.account.email) await mailAddressNotice(identity, visitor.account);
  seeOther(ctx, "/profile?done=confirmed");
}

function sendDeadLink(ctx: Context): void {
  const reason = html`It was used, is older than 24 hours, or was sent for another account or address. You can send
    a new one from <a href="/profile">your account</a>.`;
  sendMessage(ctx, 410, "This link does not work", reason);
}
