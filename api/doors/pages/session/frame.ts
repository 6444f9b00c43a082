import type { LoggedAction } from "../../../../shared/contracts/action/contracts.ts";
import { visitMs } from "../../../../shared/contracts/user/contracts.ts";
import { DatabaseFailure } from "../../../../shared/db/database-failure.ts";
import { own, selectFrom, statement } from "../../../../shared/db/reads/statement.ts";
import { msPerDay, timestamp } from "../../../../shared/domain/day/day.ts";
import { longestLine } from "../../../../shared/domain/todo/quick-add-words.ts";
import { isRefused, type Refusal } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { statusOf } from "../../../http/response.ts";
import { countUnseenRuns } from "../../../queries/action/runs.ts";
import { readPlaces } from "../../../queries/dashboard/read.ts";
import { readReminderTarget } from "../../../queries/reminder/read.ts";
import { formToken } from "../../../web/form/form.ts";
import { frame, type Numbers } from "../../../web/frame.ts";
import { icon } from "../../../web/icons.ts";
import { type Layout, message, page } from "../../../web/page.ts";
import type { PagesContext, Visit } from "./context.ts";
import { hereWithoutNotes } from "./go-on.ts";

type Frame = Pick<Layout, "nav" | "corner" | "menu" | "tools" | "notice" | "isApp">;

/** Answers with an account page. */
export const accountPage = async (
  visit: Visit,
  content: Layout,
  options?: Parameters<typeof page>[2],
): Promise<Response> => page(visit.site, { ...content, ...(await accountFrame(visit)) }, options);

/** The frame of every account page: the navigation, the sign-out button, the line to add something, and the notice. */
export async function accountFrame(visit: Visit): Promise<Frame> {
  const own = { tools: quickBar(visit), notice: visit.notice, isApp: true };
  return { ...frame(visit, visit.context.config, await readNumbers(visit)), ...own };
}

/** The numbers beside the navigation; a page without the database does without them. */
async function readNumbers(visit: Visit): Promise<Numbers | undefined> {
  const { query } = visit;
  try {
    const news = await countUnseenRuns(query, (await findLastVisit(visit, query.now)).newest);
    return { news, ...(await readPlaces(query)) };
  } catch (error) {
    if (error instanceof DatabaseFailure) return undefined;
    throw error;
  }
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

const seenOfUser = statement({}, () =>
  selectFrom(own("users").as("u")).select(["u.seen_newest", "u.seen_before", "u.seen_at"]),
);

/** For a person who never looked, so much of the past is new. */
const firstNewsMs = 7 * msPerDay;

const lastVisits = new WeakMap<object, ReturnType<typeof readLastVisit>>();

/** The person's last look at Activity, on whatever device; read once for a page. */
export function findLastVisit(visit: Visit, now: number): ReturnType<typeof readLastVisit> {
  const found = lastVisits.get(visit.request) ?? readLastVisit(visit, now);
  lastVisits.set(visit.request, found);
  return found;
}

async function readLastVisit({ context, session: { sub } }: Visit, now: number) {
  const query = context.query({ userId: sub });
  const [seen] = await query.rows(seenOfUser({}));
  const beginning = new Date(now - firstNewsMs).toISOString();
  const at = (time: string | null | undefined) => (time == null ? beginning : timestamp(time));
  const isSameVisit = seen?.seen_at != null && now - Date.parse(timestamp(seen.seen_at)) < visitMs;
  const newest = at(seen?.seen_newest);
  const before = isSameVisit ? at(seen.seen_before) : newest;
  return {
    /** The newest action seen before this visit. */
    before,
    /** The newest action seen so far. */
    newest,
    /** True if an action came after the last visit and was not done by the person. */
    isNew: ({ called_at, door }: Pick<LoggedAction, "called_at" | "door">) =>
      door !== "page" && called_at > before,
    /** Notes that the top of the list was shown. If that fails, the actions are new once more. */
    async remember(row: Pick<LoggedAction, "called_at"> | undefined) {
      const input = { newest: row?.called_at ?? newest };
      if (!isSameVisit || input.newest > newest)
        await context.dispatch({ userId: sub }, { name: "user.see", input });
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
