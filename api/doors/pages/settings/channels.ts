import type { Static } from "typebox";
import type { getSettings } from "../../../../shared/contracts/user/contracts.ts";
import {
  type ChannelText,
  channels,
  mostBrowsers,
  type ReminderChannel,
  reminderChannels,
  type TargetColumn,
} from "../../../../shared/domain/reminder/channels.ts";
import { digests } from "../../../../shared/domain/vocabulary.ts";
import { isRefused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { keptWaiting } from "../../../http/request.ts";
import { readSettings } from "../../../queries/user/read.ts";
import { formToken } from "../../../web/form/form.ts";
import { field, problem, selectField } from "../../../web/form/form-fields.ts";
import { seeOther } from "../../../web/redirect.ts";
import { countInWords, sayInstant } from "../kit/words.ts";
import type { PageAnswer, Visit } from "../session/context.ts";
import { submit } from "../session/submit.ts";

export type UserSettings = Static<typeof getSettings.output>;

/** The typed texts of a channel, or sentences on what is wrong with them. */
export type Texts = Readonly<Partial<Record<TargetColumn, string>>>;

export type RejectedForm = Readonly<{
  target?: Readonly<{ values: Texts; errors: Texts }>;
  /** The reason why a browser is not added. */
  browser?: string;
  /** The reason why a reminder is not sent again. */
  again?: string;
}>;

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
    <fieldset><legend>Send reminders</legend>
    ${reminderChannels.map(radio)}
    </fieldset>
    ${selectField({
      name: "digest",
      label: "Summary of what agents changed",
      value: settings.digest,
      options: digests.map((value) => ({ value, label: digestLabels[value] })),
      hint: html`Nothing is sent when they changed nothing.`,
    })}
    <button>Save</button></form>`;
}

/** True if the channel has all that it needs to send. */
function canSend(channel: ReminderChannel, { browsers, ...settings }: UserSettings): boolean {
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

export const pushPath = "/account/settings/push";

/** The browsers that show reminders. `push.js` shows the button where the browser can do that. */
export function pushCard(
  visit: Visit,
  settings: UserSettings,
  { browser: error }: RejectedForm,
  publicKey: string,
): Html {
  const { browsers } = settings;
  const isFull = browsers.length >= mostBrowsers;
  const isOpen = error || isDone(visit, "push") || settings.reminder_channel === "log";
  return html`<details class="card" id="push"${isOpen && html` open`}><summary>Browsers
    <span class="count">${browsers.length === 0 ? "None yet" : browsers.map(({ browser }) => browser).join(", ")}</span></summary>
    <p class="quiet small">A browser shows reminders as notifications of the system, also when no page
      of Kept is open. On an iPhone, add Kept to the home screen first.</p>
    ${problem(error)}
    ${browsers.length > 0 && html`<ul class="plain">${browsers.map((one) => browserItem(visit, one))}</ul>`}
    ${isFull && html`<p class="quiet small">There can be ${mostBrowsers}. Remove one to add another.</p>`}
    ${!isFull && addForm(visit, publicKey)}
    ${browsers.length > 0 && testPart(visit, "push", settings)}</details>`;
}

const addForm = (visit: Visit, publicKey: string): Html =>
  html`<form method="post" action="${pushPath}" id="push-form" data-key="${publicKey}">
    ${formToken(visit)}
    ${["endpoint", "p256dh", "auth"].map((name) => html`<input type="hidden" name="${name}">`)}
    <button hidden>Show reminders in this browser</button>
    <p class="quiet small" role="status">This browser cannot show them: it needs scripts, https and permission.</p></form>`;

const browserItem = (visit: Visit, { id, browser }: UserSettings["browsers"][number]): Html =>
  html`<li class="spread"><p>${browser}</p>
    <form method="post" action="${pushPath}/remove">${formToken(visit, { id })}
    <button class="plain">Remove<span class="unseen"> ${browser}</span></button></form></li>`;

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
    const isOpen = isDone(visit, channel) || targets.some(({ column }) => rejected.target?.errors[column]);
    const state = isOff ? "Switched off" : canSend(channel, settings) ? "Set up" : "Not set up";
    return html`<details class="card" id="${channel}"${isOpen && html` open`}><summary>${title}
    <span class="count">${state}</span></summary><p class="quiet small">${hint}</p>
    <form method="post" action="${targetPath(channel)}">${formToken(visit)}
    ${targets.map((target) => targetField(target, settings, rejected))}
    <button>${isOff ? "Save and switch on again" : `Save ${channel === "webhook" ? "webhook" : title}`}</button></form>
    ${canSend(channel, settings) && (channel === "webhook" ? webhookDetails(visit, settings) : testPart(visit, channel, settings))}</details>`;
  })}`;

/** True on the page that follows an act on a channel. */
const isDone = ({ url }: Visit, channel: ReminderChannel): boolean =>
  url.searchParams.get("done")?.replace(/^(no|tested)-/, "") === channel;

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

/** The webhook's secret, whether it works, and a button that sends a test. */
function webhookDetails(visit: Visit, settings: UserSettings): Html {
  return html`${testPart(visit, "webhook", settings, html`<dt>State</dt><dd>${state(settings)}</dd>`)}
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

/** A sample of a reminder; docs/channels.md has a receiver in a few lines that checks it. */
function webhookSample(): Html {
  return html`<details><summary>What is sent</summary>
    <p class="quiet small">Each reminder is one POST with this body. Its headers <code>webhook-id</code>,
      <code>webhook-timestamp</code> and <code>webhook-signature</code> are those of Standard Webhooks; who drops an id that
      came before has each reminder once. A test has the type <code>webhook.test</code> and no todo.</p>
    <pre class="lines"><code class="secret">${JSON.stringify(sampleEvent, null, 2)}</code></pre></details>`;
}

/** The result of the last test after other facts, and a button that sends another. */
const testPart = (visit: Visit, channel: ReminderChannel, settings: UserSettings, others?: Html): Html =>
  html`<dl class="facts">${others}<dt>Last test</dt><dd>${lastTest(settings, channel)}</dd></dl>
    <form method="post" action="/account/settings/test">${formToken(visit, { channel })}<button class="plain">Send a test</button></form>`;

/** The result of the last test, if it went by this channel. */
function lastTest({ test, time_zone }: UserSettings, channel: ReminderChannel): Html | string {
  if (test?.channel !== channel) return "Never";
  const { status, error, created_at, finished_at } = test;
  const at = sayInstant(finished_at ?? created_at, time_zone);
  if (status === "sent") return html`Delivered on ${at}`;
  if (status === "failed" || status === "cancelled") return html`Failed on ${at}${error && html`: ${error}`}`;
  return html`On its way since ${at}${error && html`, so far: ${error}`}.
    <a href="/account/settings?done=tested-${channel}#${channel}">Look again</a>`;
}

/** POST /account/settings/test: waits a moment, so that the page can show the result. */
export async function sendTest(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const channel = form.get("channel") ?? "webhook";
  const outcome = await submit(visit, "webhook.test", { channel });
  if (isRefused(outcome)) return outcome;
  await testFinished(visit);
  return seeOther(`/account/settings?done=tested-${channel}#${channel}`);
}

const patienceMs = 3_000;
const lookEveryMs = 150;

async function testFinished({ query, request }: Visit): Promise<void> {
  keptWaiting(request);
  for (const since = Date.now(); Date.now() - since < patienceMs; ) {
    await Bun.sleep(lookEveryMs);
    const settings = await query.inTurn((own) => readSettings(own, {}));
    if (isRefused(settings) || settings.test?.finished_at) return;
  }
}
