import {
  channels,
  type ReminderChannel,
  reminderChannels,
} from "../../../../shared/domain/reminder/channels.ts";
import { digests } from "../../../../shared/domain/vocabulary.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { selectField } from "../../../web/form/choice-fields.ts";
import { formToken } from "../../../web/form/form.ts";
import type { Visit } from "../session/context.ts";
import type { UserSettings } from "./user-settings.ts";

const digestLabels = { never: "Never", daily: "Every day at eight", weekly: "Every Monday at eight" };

/** The form for reminders and the digest. A channel that cannot work yet is disabled and shows the reason. */
export function channelForm(visit: Visit, settings: UserSettings): Html {
  const radio = (channel: ReminderChannel) => {
    const { choice, hint } = channels[channel];
    const isOpen =
      canSend(channel, settings) && (channel !== "email" || visit.context.config.smtpUrl !== undefined);
    const said =
      channel === "email" ? emailHint(visit, settings.email) : (hint ?? whereTo(channel, settings));
    const checked = channel === settings.reminder_channel && html` checked`;
    return html`<label class="choice"><input type="radio" name="reminder_channel" value="${channel}"${checked}
      ${!isOpen && html` disabled`}><span>${choice}<span class="quiet small hint">${
        said
      }</span></span></label>`;
  };
  return html`<form method="post" action="/account/settings/reminders" class="card">${formToken(visit)}
    <fieldset><legend>Send them</legend>
    ${reminderChannels.map(radio)}
    </fieldset>
    ${selectField({
      name: "digest",
      label: "The same way, tell me what agents changed",
      value: settings.digest,
      options: digests.map((value) => ({ value, label: digestLabels[value] })),
      hint: html`Nothing is sent when they changed nothing.`,
    })}
    <button>Save</button></form>`;
}

/** True if the channel has all that it needs to send. */
export function canSend(channel: ReminderChannel, { browsers, ...settings }: UserSettings): boolean {
  if (channel === "push") return browsers.length > 0;
  const { targets = [] } = channels[channel];
  return targets.every(({ column, optional }) => optional || settings[column] !== null);
}

function whereTo(channel: ReminderChannel, settings: UserSettings): string {
  if (channel === "push")
    return settings.browsers.map(({ browser }) => browser).join(", ") || "Add a browser below first.";
  const [address] = channels[channel].targets ?? [];
  return (
    (canSend(channel, settings) && address && settings[address.column]) || "Save its address below first."
  );
}

function emailHint({ context: { config }, session }: Visit, email: string | null): Html | string {
  if (config.smtpUrl === undefined) return "This server sends no e-mail.";
  if (email !== null) return email;
  if (session.email === undefined) return "Your identity provider gives no e-mail address.";
  const confirm = config.builtInIdentity
    ? html`<a href="/profile">Confirm it</a>`
    : "Confirm it at your identity provider";
  return html`${session.email} is not confirmed. ${confirm}, then
    <a href="/account/sign-in?next=/account/settings">sign in again</a>.`;
}
