import type { OutputOf, Queries } from "../../../../shared/contracts/catalogue.ts";
import { allWebhookEvents, maxWebhooks } from "../../../../shared/domain/vocabulary.ts";
import { isRefused, type Refused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { type QueryContext, readDaySettings } from "../../../queries/engine/context.ts";
import { readDeliveries, readWebhooks } from "../../../queries/webhook/read.ts";
import { formToken } from "../../../web/form/form.ts";
import { choice, field, problem } from "../../../web/form/form-fields.ts";
import { seeOther } from "../../../web/redirect.ts";
import { sayDay } from "../kit/words.ts";
import type { PageAnswer, Visit } from "../session/context.ts";
import { accountPage } from "../session/frame.ts";
import { submit } from "../session/submit.ts";

export const webhooksPath = "/account/webhooks";

/** Each webhook shows its newest deliveries; REST lists more. */
const mostShown = 10;

type Shown = Readonly<{ error?: string; secret?: string }>;

/** GET /account/webhooks: the person's webhooks with their deliveries, and a form for another. */
export async function showWebhooks(visit: Visit, { error, secret }: Shown = {}): Promise<PageAnswer> {
  const found = await visit.query.inTurn(readAll);
  if (isRefused(found)) return found;
  const { webhooks, say } = found;
  const body = html`<p class="quiet lead">A webhook tells a program of yours what changes, signed by <a href="https://www.standardwebhooks.com">Standard Webhooks</a>.</p>
    ${problem(error)}${secret && madeNote(secret)}
    ${webhooks.length === 0 && html`<p class="empty">No webhooks yet.</p>`}
    <ul class="plain">${webhooks.map((webhook) => card(visit, webhook, say))}</ul>
    ${webhooks.length < maxWebhooks && newForm(visit)}`;
  return accountPage(visit, { title: "Webhooks", body }, { status: error ? 422 : 200 });
}

type Delivery = OutputOf<Queries["webhook.deliveries"]>["data"][number];
type Webhook = OutputOf<Queries["webhook.get"]> & Readonly<{ deliveries: readonly Delivery[] }>;
type Say = (instant: string) => string;

async function readAll(query: QueryContext) {
  const { today, timeZone } = await readDaySettings(query);
  const { data } = await readWebhooks(query, {});
  const webhooks = await Promise.all(
    data.map(async (webhook) => {
      const found = await readDeliveries(query, { webhook_id: webhook.id });
      return { ...webhook, deliveries: isRefused(found) ? [] : found.data.slice(0, mostShown) };
    }),
  );
  return { webhooks, say: (instant: string) => sayDay(instant, timeZone, today.date) };
}

const madeNote = (
  secret: string,
): Html => html`<div class="note" role="status"><p>The webhook is made. Its receiver checks signatures with this
  secret, which is shown only now:</p><p><code>${secret}</code></p></div>`;

function card(
  visit: Visit,
  { id, url, events, is_active, disabled_at, deliveries }: Webhook,
  say: Say,
): Html {
  const { host } = new URL(url);
  const button = (act: string, words: string) =>
    html`<button name="act" value="${act}">${words}<span class="unseen"> the webhook to ${host}</span></button>`;
  return html`<li class="card"><h2>${host}</h2><p class="small"><code>${url}</code></p>
    <p>${events.join(", ")}. ${is_active ? "On." : html`<strong>Off.</strong> Changes wait.`}
    ${disabled_at && html` It was switched off (${say(disabled_at)}), because its receiver failed for three days or wants no more.`}</p>
    <form method="post" action="${webhooksPath}/change">${formToken(visit, { webhook_id: id })}
    <div class="actions">${is_active ? button("off", "Switch off") : button("on", "Switch on")}${button("delete", "Delete")}</div></form>
    <details><summary>Deliveries<span class="unseen"> to ${host}</span></summary>
    ${deliveries.length === 0 && html`<p class="quiet">None yet.</p>`}
    <ul class="plain">${deliveries.map((delivery) => deliveryLine(visit, id, delivery, say))}</ul></details></li>`;
}

function deliveryLine(visit: Visit, webhook_id: string, delivery: Delivery, say: Say): Html {
  const { id, subject, thing_id, status, attempts, error, created_at, finished_at } = delivery;
  const name = `${subject.replace("_", " ")} ${thing_id}`;
  return html`<li class="spread"><span>${say(created_at)}: ${name}, ${status}${attempts > 1 && html` after ${attempts} attempts`}.
    ${error && html`<span class="quiet">${error}</span>`}</span>
    ${
      finished_at &&
      html`<form method="post" action="${webhooksPath}/again">${formToken(visit, { webhook_id, delivery_id: id })}
      <button>Send again<span class="unseen">: ${name}</span></button></form>`
    }</li>`;
}

const newForm = (
  visit: Visit,
): Html => html`<section class="card" aria-labelledby="new"><h2 id="new">New webhook</h2>
  <form method="post" action="${webhooksPath}">${formToken(visit)}
  ${field({ name: "url", label: "Address", type: "url", max: 2_000, hint: "It begins with https:// and is on a public server." })}
  <fieldset><legend>What it posts</legend>${allWebhookEvents.map((event) =>
    choice({ name: "events", value: event, label: event, isChosen: true, type: "checkbox" }),
  )}</fieldset>
  <div class="actions"><button>Make</button></div></form></section>`;

const lostSecret = "The webhook is made, but its secret was lost on the way. Delete it and make another.";

/** POST /account/webhooks: makes a webhook, and shows its secret this once. */
export async function makeWebhook(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const fields = { url: form.get("url") ?? "", events: form.getAll("events") };
  const outcome = await submit(visit, "webhook.create", fields);
  if (isRefused(outcome)) return showWebhooks(visit, { error: outcome.refusal.message });
  const { secret } = outcome.body;
  return showWebhooks(visit, secret === null ? { error: lostSecret } : { secret });
}

/** POST /account/webhooks/change: switches a webhook on or off, or deletes it. */
export async function changeWebhook(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const webhook_id = form.get("webhook_id") ?? "";
  const act = form.get("act");
  return answer(
    visit,
    act === "delete"
      ? await submit(visit, "webhook.delete", { webhook_id })
      : await submit(visit, "webhook.update", { webhook_id, is_active: act === "on" }),
  );
}

/** POST /account/webhooks/again: sends a finished delivery again. */
export async function sendPostAgain(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const fields = { webhook_id: form.get("webhook_id") ?? "", delivery_id: form.get("delivery_id") ?? "" };
  return answer(visit, await submit(visit, "webhook.send-again", fields));
}

const answer = (visit: Visit, outcome: Refused | object): PageAnswer | Promise<PageAnswer> =>
  isRefused(outcome) ? showWebhooks(visit, { error: outcome.refusal.message }) : seeOther(webhooksPath);
