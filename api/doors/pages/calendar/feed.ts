import { createHash } from "node:crypto";
import { localTime } from "../../../../shared/domain/day/day.ts";
import { sayDated } from "../../../../shared/domain/day/say-date.ts";
import { isRefused, type Refused, refuse } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import type { Config } from "../../../../shared/process/config.ts";
import type { RateLimit } from "../../../http/rate-limit.ts";
import { clientOf } from "../../../http/request.ts";
import { bodyOf, nothingHere, refusalResponse } from "../../../http/response.ts";
import type { PerformContext } from "../../../perform.ts";
import { readFeed, readFeedTodos } from "../../../queries/calendar/read.ts";
import { readDaySettings } from "../../../queries/engine/context.ts";
import { formToken } from "../../../web/form/form.ts";
import { newSecret } from "../../../web/key-ring.ts";
import { locale } from "../../../web/locale.ts";
import { seeOther } from "../../../web/redirect.ts";
import type { PageAnswer, PagesContext, Visit } from "../session/context.ts";
import { sealedCookie } from "../session/sealed-cookie.ts";
import { submit } from "../session/submit.ts";
import { calendarDocument, type FeedForm } from "./document.ts";

export type CalendarContext = Pick<PerformContext, "query"> &
  Readonly<{
    config: Pick<Config, "baseUrl">;
    /** The owner of the feed with this hash; refused if its network asks for too many at once. */
    findOwner(secretHash: string, network: string): Promise<string | undefined | Refused>;
    /** Counts a request for a feed, by the hash of its secret. */
    limit: RateLimit;
  }>;

/** Requests for a feed per minute; calendars ask once in minutes or hours. */
export const feedsPerMinute = 20;

const tooOften = refuse("rate_limited", "There are too many requests for this feed. Try again in a minute.", {
  retryAfterSeconds: 60,
});

/** The form of `newSecret`. */
const feedFile = /^([\w-]{43})\.ics$/;

/** GET /calendar/<secret>.ics: the pending todos of the address's owner, for calendar programs. */
export async function answerFeed(
  { query, config, findOwner, limit }: CalendarContext,
  request: Request,
  file: string,
): Promise<Response> {
  const [, secret] = feedFile.exec(file) ?? [];
  if (secret === undefined) return refusalResponse(nothingHere.refusal);
  const secretHash = hashOf(secret);
  const userId = await findOwner(secretHash, clientOf(request));
  if (userId === undefined) return refusalResponse(nothingHere.refusal);
  if (typeof userId === "object") return refusalResponse(userId.refusal);
  const allowance = await limit(secretHash);
  if (allowance?.allowed === false) return refusalResponse(tooOften.refusal);
  const context = query({ userId }, { standbyMayAnswer: true });
  const form: FeedForm = new URL(request.url).searchParams.get("as") === "tasks" ? "tasks" : "events";
  const { today, timeZone } = await readDaySettings(context);
  const todos = await context.inTurn((own) => readFeedTodos(own, form));
  if (isRefused(todos)) return refusalResponse(todos.refusal);
  const { host } = new URL(config.baseUrl);
  const body = await calendarDocument({ form, todos, today: today.date, timeZone, host });
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  const headers = { etag, "cache-control": "private, max-age=300" };
  if (namesTag(request.headers.get("if-none-match"), etag))
    return new Response(null, { status: 304, headers });
  return new Response(bodyOf(body), {
    headers: { ...headers, "content-type": "text/calendar; charset=utf-8", "x-robots-tag": "noindex" },
  });
}

/** Weak tags match, too (RFC 9110 §13.1.2). */
const namesTag = (header: string | null, etag: string): boolean =>
  (header ?? "").split(",").some((tag) => ["*", etag].includes(tag.trim().replace(/^W\//, "")));

/** The calendar feed: whether there is one, its address just after it was made, and how to make or end it. */
export async function calendarCard(visit: Visit): Promise<Html> {
  const { context, query } = visit;
  const [feed, { today }, made] = await Promise.all([
    readFeed(query),
    readDaySettings(query),
    madeCookie(context).open(visit.request),
  ]);
  const isNew = feed !== undefined && made !== undefined && hashOf(made.secret) === feed.secretHash;
  return html`<h2 id="calendar">In your calendar</h2>
    <div class="card">
    <p>Show your todos in a calendar app: it subscribes to a secret address.</p>
    ${isNew && newAddress(feedAddress(context.config.baseUrl, made.secret))}
    ${
      feed &&
      !isNew &&
      html`<p>The address was made on ${sayDated(localTime(Date.parse(feed.madeAt), today.timeZone).slice(0, 10), today.date, locale())}.
      It was shown then; if it is lost or somebody else knows it, make a new one.</p>`
    }
    <form method="post" action="/account/data/calendar">${formToken(visit)}
    <button${feed && html` class="plain"`}>${feed ? "Make a new address, which ends the old one" : "Make an address"}</button></form>
    ${feed && endForm(visit)}</div>`;
}

const newAddress = (address: string): Html => html`<div class="note" role="status">
    <p>This is your address. Copy it into your calendar now, under “subscribe” or “from URL”; it is shown only once.</p>
    <pre class="lines" data-name="your calendar"><code class="secret address">${address}</code></pre>
    <p class="quiet small">Whoever has it can read the titles and descriptions of your todos. For programs that keep tasks,
      add <code>?as=tasks</code> to it.</p></div>`;

const endForm = (visit: Visit): Html =>
  html`<form method="post" action="/account/data/calendar/end">${formToken(visit)}<button class="danger">End the feed</button></form>`;

/** POST /account/data/calendar: makes an address in place of any earlier one. */
export async function makeFeed(visit: Visit): Promise<PageAnswer> {
  const secret = newSecret();
  const outcome = await submit(visit, "calendar.set", { secret_hash: hashOf(secret) });
  if (isRefused(outcome)) return outcome;
  return seeOther("/account/data#calendar", [await madeCookie(visit.context).seal({ secret })]);
}

/** POST /account/data/calendar/end */
export async function endFeed(visit: Visit): Promise<PageAnswer> {
  const outcome = await submit(visit, "calendar.set", { secret_hash: null });
  if (isRefused(outcome)) return outcome;
  return seeOther("/account/data#calendar", [madeCookie(visit.context).clear()]);
}

/** Seconds for which the browser that made an address can show it again. */
const lifetimeSeconds = 10 * 60;

/** The secret of a feed that this browser has just made: only its hash is stored. */
const madeCookie = (context: PagesContext) =>
  sealedCookie<{ secret: string }>(context, "feed", lifetimeSeconds);

/** The path of feeds. The part after it is a secret, and no log has it. */
const calendarPath = "/calendar/";

/** Hashes a secret for storage. */
export const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("base64url");

const feedAddress = (baseUrl: string, secret: string): string => `${baseUrl}${calendarPath}${secret}.ics`;
