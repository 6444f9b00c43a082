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

/** The body of a reminder, as workers/reminder/channels/webhook.ts sends it. */
export const sampleEvent = {
  type: "reminder.due",
  timestamp: "2026-11-21T08:00:00.000000Z",
  data: {
    delivery_id: "7b0c6b0e-5b0e-4c37-9d5a-3c8b0c7f1f52",
    todo: { id: 7, title: "Call Grace", due_date: "2026-11-22", due_time: null },
    remind_at: "2026-11-21T08:00:00.000000Z",
    local_time: "2026-11-21T09:00:00",
    time_zone: "Europe/Berlin",
    late: false,
    notes: "About the boat",
    link: "https://kept.example/account/todos/7",
    actions: [
      { act: "done", label: "Done", url: "https://kept.example/remind/…" },
      { act: "hour", label: "In an hour", url: "https://kept.example/remind/…" },
      { act: "tomorrow", label: "Tomorrow", url: "https://kept.example/remind/…" },
    ],
  },
};

/** docs/channels.md has the same receiver. */
export const receiverLines = String.raw`// npm install standardwebhooks
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.KEPT_WEBHOOK_SECRET);
const file = "seen-reminders.txt";
const seen = new Set(existsSync(file) ? readFileSync(file, "utf8").split("\n") : []);

createServer(async (request, response) => {
  const { "content-length": length, "webhook-id": id } = request.headers;
  if (!(Number(length) <= 65_536)) return response.writeHead(413).end();
  try {
    // The raw body is checked. A signature more than five minutes old is refused too.
    const event = webhook.verify(Buffer.concat(await request.toArray()).toString(), request.headers);
    // After a lost answer the same reminder comes again, with the same id.
    if (!seen.has(id)) {
      console.log(event.type, event.data.todo?.title ?? event.data.habit?.name);
      seen.add(id);
      appendFileSync(file, id + "\n");
    }
    response.writeHead(204).end();
  } catch {
    response.writeHead(401).end();
  }
}).listen(process.env.PORT);`;

/** A sample of a reminder, and a receiver in a few lines that checks it. */
function webhookSample(): Html {
  return html`<details><summary>What is sent, and how to check it</summary>
    <p class="quiet small">Each reminder is one POST with this body. Its headers <code>webhook-id</code>,
      <code>webhook-timestamp</code> and <code>webhook-signature</code> are those of Standard Webhooks; who drops an id that
      came before has each reminder once. A test has the type <code>webhook.test</code> and no todo.</p>
    <pre class="lines"><code class="secret">${JSON.stringify(sampleEvent, null, 2)}</code></pre>
    <p class="quiet small">A receiver in Node that checks signature and time with your secret, and takes each reminder once:</p>
    <pre class="lines"><code class="secret">${receiverLines}</code></pre></details>`;
}
