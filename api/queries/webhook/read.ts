import { sql } from "kysely";
import { presentDelivery, presentWebhook } from "../../../shared/db/present.ts";
import { own, selectFrom, statement } from "../../../shared/db/reads/statement.ts";
import { notFound } from "../../../shared/errors.ts";
import type { QueryHandler } from "../engine/context.ts";

const webhooks = selectFrom(own("webhooks").as("w"))
  .select(["w.id", "w.url", "w.events", "w.is_active"])
  .select(["w.failing_since", "w.disabled_at", "w.created_at", "w.updated_at"])
  .orderBy("w.created_at")
  .orderBy("w.id");
const allWebhooks = statement({}, () => webhooks);
const webhookById = statement({ id: "uuid" }, (value) => webhooks.where("w.id", "=", value("id")));

export const readWebhooks: QueryHandler<"webhook.list"> = async ({ rows }) => ({
  data: (await rows(allWebhooks({}))).map(presentWebhook),
});

export const readWebhook: QueryHandler<"webhook.get"> = async ({ rows }, { webhook_id: id }) => {
  const [webhook] = await rows(webhookById({ id }));
  return webhook ? presentWebhook(webhook) : notFound("Webhook");
};

const mostListed = 100;
const newestDeliveries = statement({ webhook_id: "uuid" }, (value) =>
  selectFrom(own("webhook_deliveries").as("d"))
    .selectAll("d")
    .where("d.webhook_id", "=", value("webhook_id"))
    .orderBy("d.created_at", "desc")
    .orderBy("d.id")
    .limit(sql.lit(mostListed)),
);

export const readDeliveries: QueryHandler<"webhook.deliveries"> = async ({ rows }, { webhook_id }) => {
  const [webhook] = await rows(webhookById({ id: webhook_id }));
  if (!webhook) return notFound("Webhook");
  return { data: (await rows(newestDeliveries({ webhook_id }))).map(presentDelivery) };
};
