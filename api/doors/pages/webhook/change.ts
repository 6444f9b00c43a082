import type { Commands, OutputOf } from "../../../../shared/contracts/catalogue.ts";
import { isRefused } from "../../../../shared/errors.ts";
import type { Outcome } from "../../../../shared/queue/batch.ts";
import { seeOther } from "../../../web/redirect.ts";
import type { PageAnswer, Visit } from "../session/context.ts";
import { submit } from "../session/submit.ts";
import { showWebhooks, webhooksPath } from "./page.ts";

const lostSecret = "The webhook is made, but its secret was lost on the way. Delete it and make another.";

/** POST /account/webhooks: makes a webhook, and shows its secret this once. */
export async function makeWebhook(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const fields = { url: form.get("url") ?? "", events: form.getAll("events") };
  const outcome = await submit(visit, "webhook.create", fields);
  if (isRefused(outcome)) return showWebhooks(visit, { error: outcome.refusal.message });
  const { secret } = outcome.body as OutputOf<Commands["webhook.create"]>;
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

const answer = (visit: Visit, outcome: Outcome): PageAnswer | Promise<PageAnswer> =>
  isRefused(outcome) ? showWebhooks(visit, { error: outcome.refusal.message }) : seeOther(webhooksPath);
