import { scopesOfEvents } from "../../../shared/contracts/webhook/contracts.ts";
import type { WebhookDeliveryRow, WebhookRow } from "../../../shared/db/entities.ts";
import { presentDelivery, presentWebhook } from "../../../shared/db/present.ts";
import { literal, sql } from "../../../shared/db/reads/sql.ts";
import { eventOfSubject, type WebhookSubject, webhookSubjects } from "../../../shared/domain/vocabulary.ts";
import { notFound } from "../../../shared/errors.ts";
import type { Condition, QueryContext, QueryHandler } from "../engine/context.ts";

type ShownWebhook = Omit<WebhookRow, "secret">;

async function webhooksWhere({ own, rows, token }: QueryContext, condition: Condition) {
  const found = await rows(sql<ShownWebhook>`
    select w.id, w.url, w.events, w.made_by, w.is_active, w.failing_since, w.disabled_at, w.created_at, w.updated_at
    from ${own("webhooks")} w where ${condition} order by w.created_at, w.id`);
  return found.map((row) => presentWebhook(row, token));
}

export const readWebhooks: QueryHandler<"webhook.list"> = async (query) => ({
  data: await webhooksWhere(query, sql`true`),
});

export const readWebhook: QueryHandler<"webhook.get"> = async (query, { webhook_id }) => {
  const [webhook] = await webhooksWhere(query, sql`w.id = ${webhook_id}::uuid`);
  return webhook ?? notFound("Webhook");
};

const mostListed = 100;

/** A token hears only of deliveries whose things it may read. */
export const readDeliveries: QueryHandler<"webhook.deliveries"> = async (query, { webhook_id }) => {
  const { own, rows, token } = query;
  const needed = (subject: WebhookSubject) => scopesOfEvents[eventOfSubject[subject]];
  const subjects = webhookSubjects.filter(
    (subject) => token.tokenId === "" || needed(subject).every((scope) => token.scopes.includes(scope)),
  );
  const [webhook] = await webhooksWhere(query, sql`w.id = ${webhook_id}::uuid`);
  if (!webhook) return notFound("Webhook");
  const found = await rows(sql<WebhookDeliveryRow>`
    select d.* from ${own("webhook_deliveries")} d where d.webhook_id = ${webhook_id}::uuid
      and d.subject = any(${`{${subjects.join(",")}}`}::text[])
    order by d.created_at desc, d.id limit ${literal(mostListed)}`);
  return { data: found.map(presentDelivery) };
};
