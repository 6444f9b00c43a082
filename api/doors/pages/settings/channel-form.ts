import {
  channels,
  type ReminderChannel,
  reminderChannels,
} from "../../../../shared/domain/reminder/channels.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { formToken } from "../../../web/form/form.ts";
import type { Visit } from "../session/context.ts";
import type { UserSettings } from "./user-settings.ts";

/** The form for the reminder channel. A channel that cannot work yet is disabled and shows the reason. */
export function channelForm(visit: Visit, settings: UserSettings): Html {
  const radio = (channel: ReminderChannel) => {
    const { choice, hint, target } = channels[channel];
    const address = target && settings[target.column];
    const isOpen = address !== null && (channel !== "email" || visit.context.config.smtpUrl !== undefined);
    const said = channel === "email" ? emailHint(visit, settings.email) : (hint ?? address);
    const checked = channel === settings.reminder_channel && html` checked`;
    return html`<label class="choice"><input type="radio" name="reminder_channel" value="${channel}"${checked}
      ${!isOpen && html` disabled`}><span>${choice}<span class="quiet small hint">${
        said ?? "Save its address below first."
      }</span></span></label>`;
  };
  return html`<form method="post" action="/account/settings/reminders" class="card">${formToken(visit)}
    <fieldset><legend>Send them</legend>
    ${reminderChannels.map(radio)}
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
