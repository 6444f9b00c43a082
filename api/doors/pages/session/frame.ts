import type { LoggedAction } from "../../../../shared/contracts/action/contracts.ts";
import { DatabaseFailure } from "../../../../shared/db/database-failure.ts";
import { msPerDay } from "../../../../shared/domain/day/day.ts";
import { longestLine } from "../../../../shared/domain/todo/quick-add-words.ts";
import { isRefused, type Refusal } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { statusOf } from "../../../http/response.ts";
import { countUnseenRuns } from "../../../queries/action/runs.ts";
import { readReminderTarget } from "../../../queries/reminder/read.ts";
import { formToken } from "../../../web/form/form.ts";
import { frame } from "../../../web/frame.ts";
import { icon } from "../../../web/icons.ts";
import { type Layout, message, page } from "../../../web/page.ts";
import type { PagesContext, Visit } from "./context.ts";
import { hereWithoutNotes } from "./go-on.ts";
import { sealedCookie } from "./sealed-cookie.ts";

type Frame = Pick<Layout, "nav" | "corner" | "tools" | "notice" | "isApp">;

/** Answers with an account page. */
export const accountPage = async (
  visit: Visit,
  content: Layout,
  options?: Parameters<typeof page>[2],
): Promise<Response> => page(visit.site, { ...content, ...(await accountFrame(visit)) }, options);

/** The frame of every account page: the navigation, the sign-out button, the line to add something, and the notice. */
export async function accountFrame(visit: Visit): Promise<Frame> {
  const own = { tools: quickBar(visit), notice: visit.notice, isApp: true };
  return { ...frame(visit, visit.context.config, await countNews(visit)), ...own };
}

/** The number of runs of agents that the person has not looked at. */
async function countNews(visit: Visit): Promise<number> {
  const { query } = visit;
  const { newest } = await findLastVisit(visit, query.now);
  if (newest === undefined) return 0;
  return countUnseenRuns(query, newest || "-infinity").catch((error) => {
    if (error instanceof DatabaseFailure) return 0;
    throw error;
  });
}

/** The header of a page that is open to people who are not signed in. */
export const guestFrame: Pick<Layout, "corner"> = { corner: html`<a href="/account">Sign in</a>` };

export const addPath = "/account/add";

/** The pages that add something pass on the page from which the person first came. */
const adding = [addPath, "/account/todos/new", "/account/habits/new"];

/** The line on every page that adds a todo or habit in words. The next page says what was read, with an undo. */
function quickBar(visit: Visit): Html {
  const { url } = visit;
  const isAdding = adding.includes(url.pathname);
  const page = isAdding ? url.searchParams.get("from") : hereWithoutNotes({ url });
  const line = isAdding ? (url.searchParams.get("line") ?? "") : "";
  return html`<form method="post" action="${addPath}" class="quick" id="quick" data-stay>${icon("plus")}${formToken(visit, { key: crypto.randomUUID(), from: page === "/account" ? null : page })}
    <label class="unseen" for="quick-line">Add a todo or a habit in words</label>
    <input id="quick-line" name="line" value="${line}" maxlength="${longestLine}" autocomplete="off" required
      placeholder="Add a todo or a habit, for example: Call Mum every Sunday at 18:00 #Family">
    <button class="plain">Add</button></form>`;
}

/** The part of the list that this browser has shown, and the user who saw it. */
type Seen = {
  sub: string;
  /** The newest action seen in the visit before this one, and in this one. */
  before: string;
  newest: string;
  /** The time when the list was last shown (epoch ms). */
  shownAt: number;
};

/** Browsers keep a cookie for this long at most. */
const lifetimeSeconds = (400 * msPerDay) / 1_000;
/** A return within this time belongs to the same visit. */
const visitMs = 30 * 60_000;

const seenCookie = (context: PagesContext) => sealedCookie<Seen>(context, "seen", lifetimeSeconds);

/** Reads the last visit of this browser. On a first visit no action is new. */
export async function findLastVisit({ context, request, session: { sub } }: Visit, now: number) {
  const cookie = seenCookie(context);
  const found = await cookie.open(request);
  const seen = found?.sub === sub ? found : undefined;
  const before = seen && now - seen.shownAt < visitMs ? seen.before : seen?.newest;
  return {
    /** The newest action seen before; undefined on a first visit. */
    before,
    /** The newest action seen so far, in this visit or before; empty if there was none. */
    newest: seen?.newest,
    /** True if an action came after the last visit and was not done by the person. */
    isNew: ({ called_at, door }: Pick<LoggedAction, "called_at" | "door">) =>
      before !== undefined && door !== "page" && called_at > before,
    /** The cookie for the next visit, set when the top of the list was shown. */
    remember(row: Pick<LoggedAction, "called_at"> | undefined) {
      const newest = [seen?.newest ?? "", row?.called_at ?? ""].toSorted()[1] ?? "";
      return cookie.seal({ sub, before: before ?? newest, newest, shownAt: now });
    },
  };
}

/** A warning for pages with reminders, if some are due to ring but would reach nobody. */
export async function reminderWarning({ context, session }: Visit): Promise<Html | undefined> {
  const query = context.query({ userId: session.sub }, { standbyMayAnswer: true });
  const target = await query.inTurn((own) => readReminderTarget(own));
  if (isRefused(target)) return undefined;
  const { channel, is_off, has_coming } = target;
  const reason = has_coming ? whyNowhere(channel, is_off, context.config.smtpUrl !== undefined) : undefined;
  if (reason === undefined) return undefined;
  return html`<p class="note warn">Your reminders aren't sent anywhere: ${reason}
    <a href="/account/settings#reminders">Choose where</a>.</p>`;
}

function whyNowhere(channel: string, isOff: boolean, canMail: boolean): string | undefined {
  if (channel === "log") return "they are only noted in the log of this server.";
  if (channel === "email" && !canMail) return "this server sends no e-mail.";
  if (channel === "webhook" && isOff) return "the webhook is switched off, because it failed for a day.";
  return undefined;
}

/** The page that shows a refusal. */
export function refusalPage({ site }: Pick<PagesContext, "site">, refusal: Refusal): Response {
  const { code, message: text, retryAfterSeconds } = refusal;
  const headers = retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) };
  return message(site, "That did not work", text, { status: statusOf(code), headers });
}
