import { allScopes } from "../../../../shared/contracts/kernel/scopes.ts";
import type { ReminderSecrets } from "../../../../shared/db/reminder-secrets.ts";
import { type Offer, readOffer } from "../../../../shared/domain/reminder/link.ts";
import { isRefused, type Refused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import type { RateLimit } from "../../../http/rate-limit.ts";
import { senderOf } from "../../../http/request.ts";
import { statusOf } from "../../../http/response.ts";
import { type PerformContext, perform } from "../../../perform.ts";
import { readDaySettings } from "../../../queries/engine/context.ts";
import { message, page } from "../../../web/page.ts";
import { subjectOf } from "./subject.ts";

export type ActContext = PerformContext &
  Readonly<{
    linkKeys: ReminderSecrets["linkKeys"];
    now(): number;
    /** Counts the uses of the links of a delivery. */
    limit: RateLimit;
  }>;

/** Requests for the links of one delivery in a minute. */
export const actsPerMinute = 20;

const site = { home: "/account", formTargets: [] };
const headers = { "X-Robots-Tag": "noindex" };

/**
 * A link in a reminder, which needs no sign-in. GET shows one button and changes nothing, because scanners of mail follow
 * links; POST does what the button says.
 */
export async function answerAct(context: ActContext, request: Request, link: string): Promise<Response> {
  const offer = readOffer(link, await context.linkKeys(), context.now());
  if (offer === undefined)
    return say("Not found", "This link is not whole. Open it from the reminder again.", 404);
  if (offer === "expired") return say("Too late", "Links in reminders work for seven days.", 410);
  const allowance = await context.limit(offer.deliveryId);
  if (!allowance.allowed)
    return say("That did not work", "This link is opened too often. Try again in a minute.", 429);
  if (request.method === "POST") return accept(context, request, offer);
  if (request.method === "GET" || request.method === "HEAD") return ask(context, offer);
  return say("That did not work", "This address does not take that method.", 405);
}

const say = (title: string, text: string | Html, status: number): Response =>
  message(site, title, text, { status, headers });

async function ask(context: ActContext, offer: Offer): Promise<Response> {
  const query = context.query({ userId: offer.userId });
  const { today } = await readDaySettings(query);
  const question = await query.inTurn((own) => subjectOf(offer).ask(own, today.date));
  if (isRefused(question)) return refused(question);
  const body = html`<p class="lead">${question.text}</p>
    <form method="post"><button>${question.button}</button></form>`;
  return page(site, { title: "Your reminder", body }, { headers });
}

const refused = ({ refusal: { code, message: reason } }: Refused): Response =>
  say("That did not work", reason, statusOf(code));

/** The author in the log of actions. */
const clientName = "a link in a reminder";

async function accept(context: ActContext, request: Request, offer: Offer): Promise<Response> {
  const { userId, deliveryId, act } = offer;
  const { contract, fields, saysDone } = subjectOf(offer);
  const actor = { userId, scopes: allScopes, clientName };
  const { outcome, replayed } = await perform(context, {
    ...{ contract, actor },
    by: senderOf(request, "page", actor),
    content: () => ({ fields, idempotencyKey: `${clientName} ${deliveryId} ${act}` }),
  });
  if (isRefused(outcome)) return refused(outcome);
  if (replayed) return say("Used already", "This link was used already. It works once.", 200);
  const { today } = await readDaySettings(context.query({ userId }));
  const sentence = saysDone(outcome.body, today.date);
  return say("Done", html`${sentence} You can undo it under <a href="/account/actions">Actions</a>.`, 200);
}
