import {
  type ChannelText,
  channels,
  type ReminderChannel,
  reminderChannels,
  type TargetColumn,
} from "../../../../shared/domain/reminder/channels.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { formToken } from "../../../web/form/form.ts";
import { field } from "../../../web/form/form-fields.ts";
import { countInWords, sayInstant } from "../kit/dates.ts";
import type { Visit } from "../session/context.ts";
import { canSend } from "./channel-form.ts";
import { lastTest, testForm } from "./channel-test.ts";
import type { RejectedForm, UserSettings } from "./user-settings.ts";
import { webhookSample } from "./webhook-sample.ts";

/** The channels with typed texts, each with its card. The first text is the address. */
export const typedTargets = reminderChannels.flatMap((channel) => {
  const { card, targets: [address, ...others] = [] } = channels[channel];
  return card && address ? [{ channel, address, targets: [address, ...others], ...card }] : [];
});
export type TypedTarget = (typeof typedTargets)[number];

export const targetPath = (channel: ReminderChannel): string => `/account/settings/${channel}`;

export const targetCards = (visit: Visit, settings: UserSettings, rejected: RejectedForm): Html =>
  html`${typedTargets.map((typed) => {
    const { channel, title, hint, targets } = typed;
    const isOff = channel === "webhook" && settings.webhook_disabled_at !== null;
    return html`<h2 id="${channel}">${title}</h2>
    <div class="card"><p class="quiet small">${hint}</p>
    <form method="post" action="${targetPath(channel)}">${formToken(visit)}
    ${targets.map((target) => targetField(target, settings, rejected))}
    <button>${isOff ? "Save and switch on again" : `Save ${channel === "webhook" ? "webhook" : title}`}</button></form>
    ${canSend(channel, settings) && cardDetails(visit, channel, settings)}</div>`;
  })}`;

function targetField(
  { column, label = "", hint = "", format, maxLength, secret }: ChannelText<TargetColumn>,
  settings: UserSettings,
  { target }: RejectedForm,
): Html {
  const stored = settings[column];
  return field({
    name: column,
    label,
    type: format.endsWith("-url") ? "url" : "text",
    value: target?.values[column] ?? (secret ? "" : (stored ?? "")),
    hint: secret && stored !== null ? `${hint} One is saved; leave this empty to keep it.` : hint,
    error: target?.errors[column],
    max: maxLength,
    required: false,
  });
}

const cardDetails = (visit: Visit, channel: ReminderChannel, settings: UserSettings): Html =>
  channel === "webhook"
    ? webhookDetails(visit, settings)
    : html`<dl class="facts"><dt>Last test</dt><dd>${lastTest(settings, channel)}</dd></dl>
    ${testForm(visit, channel)}`;

/** The webhook's secret, whether it works, and a button that sends a test. */
function webhookDetails(visit: Visit, settings: UserSettings): Html {
  return html`<dl class="facts"><dt>State</dt><dd>${state(settings)}</dd>
    <dt>Last test</dt><dd>${lastTest(settings, "webhook")}</dd></dl>
    ${testForm(visit, "webhook")}
    <details><summary>Show the signing secret</summary>
    <p class="quiet small">The receiver checks signatures with it. Another address gets another secret.</p>
    <p><code class="secret">${settings.webhook_secret}</code></p></details>
    ${webhookSample()}`;
}

function state({ webhook_failures, webhook_disabled_at, time_zone }: UserSettings): Html | string {
  if (webhook_disabled_at)
    return html`<strong class="error">Switched off</strong> on ${sayInstant(webhook_disabled_at, time_zone)}, because it
      failed for a day`;
  if (webhook_failures > 0) return html`On, with ${countInWords(webhook_failures, "failure")} in a row`;
  return "On";
}
