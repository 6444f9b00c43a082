import type { Endable } from "../../../../shared/domain/journal/events.ts";
import { events, sayEvent, sayOrigin } from "../../../../shared/domain/journal/events.ts";
import { html } from "../../../../shared/html.ts";
import { formToken } from "../../../web/form/form.ts";
import { message, page } from "../../../web/page.ts";
import type { Site } from "../../../web/site.ts";
import { zoneOf } from "../../accounts/zones.ts";
import { noticeDays, notMePath } from "../../notices/links.ts";
import { endByNotice, findNotice } from "../../notices/not-me.ts";
import type { Notice } from "../../notices/notices.ts";
import { timeIn } from "../times.ts";
import type { Visitor } from "../visitor.ts";
import { forgotPath } from "./forgot-password.ts";

/** GET of the link in a message: shows only a button, because mail scanners open links. */
export async function showNotMe(visitor: Visitor): Promise<Response> {
  const { identity, site, url } = visitor;
  const token = url.searchParams.get("token") ?? "";
  const notice = await findNotice(identity, token);
  if (!notice) return deadLinkPage(site);
  const zone = await zoneOf(identity, { id: notice.accountId, timeZone: null });
  const { button } = words[endingOf(notice)];
  const body = html`<p>${sayEvent(notice.kind, notice.details)}</p>
    <p class="quiet">${sayOrigin(notice.details)} ${timeIn(zone, notice.at)} (${zone})</p>
    <form method="post" action="${notMePath}">${formToken(visitor, { token })}
    <div class="actions"><button class="danger">${button}</button></div></form>
    <p class="quiet">If it was you, leave this page; nothing happens.</p>`;
  // The address contains the token, so neither the stylesheet's nor the form's request may send it as a referrer.
  return page(site, { title: "Was it not you?", body }, { headers: { "Referrer-Policy": "strict-origin" } });
}

/** POST of the link's page: ends what the message was about. */
export async function endNotMe(visitor: Visitor, form: URLSearchParams): Promise<Response> {
  const { identity, site } = visitor;
  const notice = await findNotice(identity, form.get("token") ?? "");
  if (!notice) return deadLinkPage(site);
  const ends = endingOf(notice);
  await endByNotice(identity, notice, ends);
  const link = { href: forgotPath, label: "Choose a new password" };
  return message(site, words[ends].title, words[ends].text, { link });
}

const endingOf = ({ kind }: Notice): Endable => events[kind].told?.ends ?? "password";

const mayKnow = "Whoever did it may know your password or have your device. Choose a new password, too.";

const words: Readonly<Record<Endable, Readonly<{ button: string; title: string; text: string }>>> = {
  token: { button: "It was not me: end it", title: "It has ended", text: mayKnow },
  session: { button: "It was not me: sign it out", title: "That browser is signed out", text: mayKnow },
  passkey: { button: "It was not me: remove it", title: "The passkey is removed", text: mayKnow },
  password: {
    button: "It was not me: sign out all browsers",
    title: "All browsers are signed out",
    text: "A link for a new password is on its way to your address, if it is confirmed. There you can also end all passkeys, tokens and apps. Whoever runs the server can help if no mail comes.",
  },
};

function deadLinkPage(site: Site): Response {
  const text = `It was used or is older than ${noticeDays} days.`;
  return message(site, "This link does not work", text, { status: 410 });
}
