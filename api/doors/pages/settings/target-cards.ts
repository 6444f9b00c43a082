import {
  channels,
  type ReminderChannel,
  reminderChannels,
} from "../../../../shared/domain/reminder/channels.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { formToken } from "../../../web/form/form.ts";
import { field } from "../../../web/form/form-fields.ts";
import type { Visit } from "../session/context.ts";
import type { RejectedForm, UserSettings } from "./user-settings.ts";
import { webhookDetails } from "./webhook-details.ts";

/** The channels with a typed address, each with its column and card. */
export const typedTargets = reminderChannels.flatMap((channel) => {
  const { target } = channels[channel];
  return target?.card ? [{ channel, ...target, ...target.card }] : [];
});
export type TypedTarget = (typeof typedTargets)[number];

export const targetPath = (channel: ReminderChannel): string => `/account/settings/${channel}`;

/** A card for each of these addresses. */
export const targetCards = (visit: Visit, settings: UserSettings, { target }: RejectedForm): Html =>
  html`${typedTargets.map((typed) => {
    const { channel, title, column } = typed;
    const rejected = target?.channel === channel ? target : undefined;
    const isWebhook = channel === "webhook";
    const isOff = isWebhook && settings.webhook_disabled_at !== null;
    return html`<h2 id="${channel}">${title}</h2>
    <div class="card"><form method="post" action="${targetPath(channel)}">${formToken(visit)}
    ${field({
      name: column,
      label: typed.label,
      type: typed.format === "webhook-url" ? "url" : "text",
      value: rejected?.value ?? settings[column] ?? "",
      hint: typed.hint,
      error: rejected?.error,
      max: typed.maxLength,
      required: false,
    })}
    <button>${isOff ? "Save and switch on again" : `Save ${title.toLowerCase()}`}</button></form>
    ${isWebhook && settings.webhook_url !== null && webhookDetails(visit, settings)}</div>`;
  })}`;
