import { formToken } from "../../../shared/web/form.ts";
import { type Html, html } from "../../../shared/web/html.ts";
import type { Visit } from "../visit/context.ts";
import type { UserSettings } from "./user-settings.ts";

/** The form for where reminders go. A channel that cannot work yet is disabled and shows the reason. */
export function channelForm(visit: Visit, settings: UserSettings): Html {
  const { reminder_channel, email, webhook_url } = settings;
  const canMail = email !== null && visit.context.config.smtpUrl !== undefined;
  const choice = (
    value: UserSettings["reminder_channel"],
    label: string,
    hint: Html | string,
    open: boolean,
  ) => {
    const checked = value === reminder_channel && html` checked`;
    return html`<label class="choice"><input type="radio" name="reminder_channel" value="${value}"${checked}
      ${!open && html` disabled`}><span>${label}<span class="quiet small hint">${hint}</span></span></label>`;
  };
  return html`<form method="post" action="/account/settings/reminders" class="card">${formToken(visit)}
    <fieldset><legend>Send them</legend>
    ${choice("email", "By e-mail", emailHint(visit, email), canMail)}
    ${choice("webhook", "To your webhook", webhook_url ?? "Save its address below first.", webhook_url !== null)}
    ${choice("log", "Nowhere", "They are only noted in the log of this server.", true)}
    </fieldset><button>Save</button></form>`;
}

function emailHint({ context: { config }, session }: Visit, email: string | null): Html | string {
  if (config.smtpUrl === undefined) return "This server sends no e-mail.";
  if (email !== null) return email;
  if (session.email === undefined) return "Your identity provider tells no e-mail address.";
  const confirm = config.builtInIdentity
    ? html`<a href="${config.authUrl}/profile">Confirm it</a>`
    : "Confirm it at your identity provider";
  return html`${session.email} is not confirmed. ${confirm}, then
    <a href="/account/sign-in?next=/account/settings">sign in again</a>.`;
}
