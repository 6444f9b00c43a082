import { createHash } from "node:crypto";
import { isRefused, type Refused, refuse } from "../../../../shared/errors.ts";
import type { Config } from "../../../../shared/process/config.ts";
import type { RateLimit } from "../../../http/rate-limit.ts";
import { clientOf } from "../../../http/request.ts";
import { bodyOf, nothingHere, refusalResponse } from "../../../http/response.ts";
import type { PerformContext } from "../../../perform.ts";
import { readFeedTodos } from "../../../queries/calendar/read.ts";
import { readDaySettings } from "../../../queries/engine/context.ts";
import { hashOf } from "./address.ts";
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
