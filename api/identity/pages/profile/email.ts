import { html } from "../../../../shared/html.ts";
import { formToken } from "../../../web/form/form.ts";
import { message, page } from "../../../web/page.ts";
import { seeOther } from "../../../web/redirect.ts";
import type { Site } from "../../../web/site.ts";
import { normalizeEmail, setEmail } from "../../accounts/accounts.ts";
import { addressOf, confirmEmail, confirmPath, mailConfirmation } from "../../accounts/confirmation.ts";
import { profileFrame, type SignedIn } from "../visitor.ts";
import { profilePage } from "./profile-page.ts";

/**
 * POST /profile/email: the new address takes effect when the link mailed to it is used. A server that sends no mail
 * sets it at once, as unconfirmed.
 */
export async function saveEmail(visitor: SignedIn, form: URLSearchParams): Promise<Response> {
  const { identity, account } = visitor;
  const email = normalizeEmail(form.get("email") ?? "");
  const refuse = (error: string) => profilePage(visitor, { email: error });
  if (!email) return refuse("That is not an e-mail address.");
  if (email === account.email) return refuse("That is your address already.");
  if (identity.sendMail) return mailLink(visitor, { email, done: "email-link" });
  if (!(await setEmail(identity, account.id, email))) {
    return refuse("There is another account with this address.");
  }
  await identity.deliverNews();
  return seeOther("/profile?done=email");
}

/** POST /profile/email/link: mails a confirmation link for the present address. */
export async function sendLink(visitor: SignedIn): Promise<Response> {
  const { email, emailVerified } = visitor.account;
  return emailVerified ? seeOther("/profile") : mailLink(visitor, { email, done: "link" });
}

async function mailLink(visitor: SignedIn, to: { email: string; done: string }): Promise<Response> {
  const { identity, account } = visitor;
  const { sent, waitSeconds } = await mailConfirmation(identity, { id: account.id, email: to.email });
  if (sent) return seeOther(`/profile?done=${to.done}`);
  if (waitSeconds === 0) {
    return profilePage(visitor, { email: "The mail could not be sent. Try again later." }, { status: 503 });
  }
  const tooMany = `Too many mails. Try again in ${Math.ceil(waitSeconds / 60)} minutes.`;
  const headers = { "Retry-After": String(waitSeconds) };
  return profilePage(visitor, { email: tooMany }, { status: 429, headers });
}

/**
 * GET of the mailed link: shows only a button, because mail scanners open links. The person must be signed in to the
 * account, so that nobody confirms an account that a stranger made with their address.
 */
export async function showLink(visitor: SignedIn): Promise<Response> {
  const { identity, account, site, url } = visitor;
  const token = url.searchParams.get("token") ?? "";
  const email = await addressOf(identity.pool, account.id, token);
  if (email === undefined) return deadLinkPage(site);
  const body = html`<p>Is <strong>${email}</strong> your address?</p>
    <form method="post" action="${confirmPath}">${formToken(visitor, { token })}
    <div class="actions"><button>Confirm my address</button></div></form>`;
  return page(site, { title: "Confirm your e-mail address", body, ...profileFrame(visitor) });
}

/** POST of the link's page: uses the link up. */
export async function useLink(visitor: SignedIn, form: URLSearchParams): Promise<Response> {
  const { identity, account, site } = visitor;
  const isDone = await confirmEmail(identity, account.id, form.get("token") ?? "");
  if (!isDone) return deadLinkPage(site);
  await identity.deliverNews();
  return seeOther("/profile?done=confirmed");
}

function deadLinkPage(site: Site): Response {
  const reason = html`It was used, is older than 24 hours, or was sent for another account or address. You can send
    a new one from <a href="/profile">your account</a>.`;
  return message(site, "This link does not work", reason, { status: 410 });
}
