import { sql } from "kysely";
import { scopesOfEvents } from "../../../shared/contracts/webhook/contracts.ts";
import { presentDelivery, presentWebhook } from "../../../shared/db/present.ts";
import { own, selectFrom, statement } from "../../../shared/db/reads/statement.ts";
import { eventOfSubject, type WebhookSubject, webhookSubjects } from "../../../shared/domain/vocabulary.ts";
import { notFound, type Refused } from "../../../shared/errors.ts";
import type { QueryHandler } from "../engine/context.ts";

const webhooks = selectFrom(own("webhooks").as("w"))
  .select(["w.id", "w.url", "w.events", "w.made_by", "w.is_active"])
  .select(["w.failing_since", "w.disabled_at", "w.created_at", "w.updated_at"])
  .orderBy("w.created_at")
  .orderBy("w.id");
const allWebhooks = statement({}, () => webhooks);
const webhookById = statement({ id: "uuid" }, (value) => webhooks.where("w.id", "=", value("id")));

export const readWebhooks: QueryHandler<"webhook.list"> = async ({ rows, token }) => ({
  data: (await rows(allWebhooks({}))).map((row) => presentWebhook(row, token)),
});

export const readWebhook: QueryHandler<"webhook.get", Refused> = async (
  { rows, token },
  { webhook_id: id },
) => {
  const [webhook] = await rows(webhookById({ id }));
  return webhook ? presentWebhook(webhook, token) : notFound("Webhook");
};

const mostListed = 100;
const newestDeliveries = statement({ webhook_id: "uuid", subjects: "text[]" }, (value) =>
  selectFrom(own("webhook_deliveries").as("d"))
    .selectAll("d")
    .where("d.webhook_id", "=", value("webhook_id"))
    .where(({ ref }) => sql<boolean>`${ref("d.subject")} = any(${value("subjects")})`)
    .orderBy("d.created_at", "desc")
    .orderBy("d.id")
    .limit(sql.lit(mostListed)),
);

/** A token hears only of deliveries whose things it may read. */
export const readDeliveries: QueryHandler<"webhook.deliveries", Refused> = async (
  { rows, token },
  { webhook_id },
) => {
  const needed = (subject: WebhookSubject) => scopesOfEvents[eventOfSubject[subject]];
  const readable = webhookSubjects.filter(
    (subject) => token.tokenId === "" || needed(subject).every((scope) => token.scopes.includes(scope)),
  );
  const [webhook] = await rows(webhookById({ id: webhook_id }));
  if (!webhook) return notFound("Webhook");
  const found = await rows(newestDeliveries({ webhook_id, subjects: `{${readable.join(",")}}` }));
  return { data: found.map(presentDelivery) };
};
