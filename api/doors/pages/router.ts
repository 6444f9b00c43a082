import { isRefused } from "../../../shared/errors.ts";
import type { Config } from "../../../shared/process/config.ts";
import { loggedIds } from "../../http/request.ts";
import { takeForm } from "../../web/form/form.ts";
import { inLocaleOf } from "../../web/locale.ts";
import { message } from "../../web/page.ts";
import { seeOther, stayOnPage } from "../../web/redirect.ts";
import {
  answerByMethod,
  createRequireSignIn,
  failurePage,
  notFoundPage,
  type PageMethods,
} from "../../web/router.ts";
import { accessPath, showAccess } from "./access/page.ts";
import { decide, saveRules, showAgents, showApprovals } from "./action/approval/approvals.ts";
import { exportActions } from "./action/list/filters.ts";
import { showActions } from "./action/list/page.ts";
import { showRun, takeRunBack } from "./action/take-back/run.ts";
import { askForget, forgetThing, undoAction, undoChosen } from "./action/take-back/undo.ts";
import { agentsPath, approvalsPath } from "./action/words.ts";
import { addLine, newThing, previewLine } from "./add/page.ts";
import { endFeed, makeFeed } from "./calendar/feed.ts";
import { showConnect } from "./connect/page.ts";
import { categoryForm, showCategories } from "./edit/category-form.ts";
import { habitForm } from "./edit/habit-form.ts";
import { createThing, deleteThing, editThing, saveThing } from "./edit/save.ts";
import type { ThingForm } from "./edit/thing-form.ts";
import { checkLine, todoForm } from "./edit/todo-form.ts";
import { exportData, pageOfExport, showData } from "./export/page.ts";
import { showFound } from "./find/page.ts";
import { showFront } from "./front/page.ts";
import { showHabit, showHabits } from "./habit/page.ts";
import { applyStaged, showImport, uploadFiles } from "./import/page.ts";
import { journalPath, showJournal } from "./journal/page.ts";
import { showEvents } from "./live/live.ts";
import type { FindOwnSession, Guest, PageAnswer, PagesContext, Visit } from "./session/context.ts";
import { refusalPage } from "./session/frame.ts";
import { idInPath, signInAddress } from "./session/go-on.ts";
import { keepSentForm, sentPath, showSentForm } from "./session/sent-form.ts";
import { findSealedSession, findSessionsBy, provenVisit, signedInVisit } from "./session/session.ts";
import { pushPath, sendTest, targetPath, typedTargets } from "./settings/channels.ts";
import { showDay, showReminders } from "./settings/page.ts";
import { addBrowser, removeBrowser, saveChannel, saveDay, saveTarget, sendAgain } from "./settings/save.ts";
import { beginSignIn, createFindProvider, finishSignIn, signOut } from "./sign-in/sign-in.ts";
import { actNotice, toggleItem, undoTick } from "./tick/tick.ts";
import { showToday } from "./today/page.ts";
import { changeMany, manyPath, showTodos } from "./todo/page.ts";
import { showUpcoming } from "./upcoming/page.ts";
import { changeWebhook, makeWebhook, sendPostAgain, showWebhooks, webhooksPath } from "./webhook/page.ts";

const require = (find: (guest: Guest) => Promise<Visit | undefined>, proof?: "fresh") =>
  createRequireSignIn<Guest, Visit, PageAnswer>({
    find,
    address: ({ context, request }, next = pageOfForm(request)) =>
      signInAddress(context, pageOfExport(next), proof),
    keepForm: (guest) => keepSentForm(guest, proof),
  });

/** Wraps what is for people who are signed in. */
const requireSignIn = require(findVisit);

/** Wraps what opens a way out of the account: the person signed in, or did so again, ten minutes ago at most. */
const requireProof = require(provenVisit, "fresh");

/** Adds the notice of the last act that the address names. */
async function findVisit(guest: Guest): Promise<Visit | undefined> {
  const visit = await signedInVisit(guest);
  return !visit || guest.request.method === "POST" ? visit : { ...visit, notice: await actNotice(visit) };
}

/** The page of a form, to return to after signing in again. */
const pageOfForm = (request: Guest["request"]): string =>
  URL.parse(request.headers.get("referer") ?? "")?.pathname ?? "/account";

/** Pages by path; `:id` stands for the id of a thing: see `pathId`. */
const pages: Readonly<Record<string, PageMethods<Guest, PageAnswer>>> = {
  "/": { GET: showFront },
  "/account": pageOf(showToday),
  "/account/todos": pageOf(showTodos),
  "/account/habits": pageOf(showHabits),
  "/account/habits/:id": pageOf(showHabit),
  "/account/upcoming": pageOf(showUpcoming),
  "/account/find": pageOf(showFound),
  "/account/add": pageOf(previewLine, addLine),
  "/account/todos/new": pageOf(newThing("todo"), createThing(todoForm)),
  "/account/habits/new": pageOf(newThing("habit"), createThing(habitForm)),
  "/account/categories": pageOf(showCategories, createThing(categoryForm)),
  ...formOf(todoForm, "/account/todos/:id"),
  "/account/todos/:id/check": formOn("/account/todos", checkLine),
  ...formOf(habitForm, "/account/habits/:id/edit"),
  ...formOf(categoryForm, "/account/categories/:id"),
  "/account/connect": { GET: showConnect },
  "/account/live": { GET: showEvents },
  "/account/actions": pageOf(showActions),
  "/account/actions/export": { GET: requireProof(exportActions) },
  "/account/actions/undo": formOn("/account/actions", undoAction),
  "/account/actions/choose": formOn("/account/actions", undoChosen),
  "/account/actions/run": pageOf(showRun, takeRunBack),
  "/account/actions/forget": pageOf(askForget, forgetThing),
  [approvalsPath]: pageOf(showApprovals, decide),
  [agentsPath]: pageOf(showAgents, saveRules),
  [webhooksPath]: { ...pageOf(showWebhooks), POST: requireProof(takeForm(makeWebhook)) },
  [`${webhooksPath}/change`]: formOn(webhooksPath, changeWebhook),
  [`${webhooksPath}/again`]: formOn(webhooksPath, sendPostAgain),
  [journalPath]: pageOf(showJournal),
  [accessPath]: pageOf(showAccess),
  "/account/data": pageOf(showData),
  "/account/data/import": { GET: () => seeOther("/account/data"), POST: requireSignIn(uploadFiles) },
  "/account/data/import/apply": pageOf(showImport, applyStaged),
  "/account/data/calendar": formOn("/account/data", makeFeed, requireProof),
  "/account/data/calendar/end": formOn("/account/data", endFeed),
  "/account/data/export": { GET: requireProof(exportData) },
  "/account/settings": pageOf(showReminders),
  "/account/settings/day": pageOf(showDay, saveDay),
  "/account/settings/reminders": formOn("/account/settings", saveChannel),
  "/account/settings/reminders/again": formOn("/account/settings", sendAgain),
  ...Object.fromEntries(
    typedTargets.map((target) => [
      targetPath(target.channel),
      formOn("/account/settings", saveTarget(target), requireProof),
    ]),
  ),
  "/account/settings/test": formOn("/account/settings", sendTest),
  [pushPath]: formOn("/account/settings", addBrowser, requireProof),
  [`${pushPath}/remove`]: formOn("/account/settings", removeBrowser),
  [manyPath]: formOn("/account/todos", changeMany),
  "/account/tick": formOn("/account", toggleItem),
  "/account/tick/undo": formOn("/account", undoTick),
  "/account/sign-in": { GET: beginSignIn },
  [sentPath]: pageOf(showSentForm),
  "/account/callback": { GET: finishSignIn },
  "/account/sign-out": { GET: () => seeOther("/account"), POST: signOut },
};

type Act = (visit: Visit, form: URLSearchParams) => Promise<PageAnswer>;

/** A page for signed-in people, and the form that posts to its own address. */
function pageOf(show: (visit: Visit) => Promise<PageAnswer>, act?: Act): PageMethods<Guest, PageAnswer> {
  const GET = requireSignIn(show);
  return act ? { GET, POST: requireSignIn(takeForm(act)) } : { GET };
}

/** The addresses of a thing's form and of its delete button. */
function formOf(form: ThingForm, path: string): Readonly<Record<string, PageMethods<Guest, PageAnswer>>> {
  return {
    [path]: pageOf(editThing(form), saveThing(form)),
    [`${path}/delete`]: formOn(form.home, deleteThing(form)),
  };
}

/** The address of a form's action. A browser that opens it is redirected to the form's page. */
function formOn(page: string, act: Act, require = requireSignIn): PageMethods<Guest, PageAnswer> {
  return { GET: () => seeOther(page), POST: require(takeForm(act)) };
}

/** The addresses of the account pages; `*` stands for anything. */
export const accountPaths = ["/", "/account", "/account/*"];

const pathOf = (url: URL): string => url.pathname.replace(idInPath, ":id");

/** The route of a request in the metrics: its path only if that page exists, because anybody can invent others. */
export function routeOfPage({ method, url }: Request): Readonly<{ method: string; path: string }> {
  const path = pathOf(new URL(url));
  return { method, path: Object.hasOwn(pages, path) ? path : "/account/*" };
}

/** Answers one request for a page. */
async function answerPage(context: PagesContext, request: Request): Promise<Response> {
  const { site, log } = context;
  const url = new URL(request.url);
  // A literal `:id` in a URL matches nothing.
  const methods = url.pathname.includes(":id") ? undefined : pages[pathOf(url)];
  if (!methods) return notFoundPage(site);
  try {
    const answer = await inLocaleOf(request, () => answerByMethod(methods, { context, site, request, url }));
    return stayOnPage(request, isRefused(answer) ? refusalPage(context, answer.refusal) : answer);
  } catch (error) {
    const reason = error instanceof Error ? error.stack : String(error);
    log.error({ ...loggedIds(request), path: url.pathname, reason }, "a page failed");
    return failurePage(site);
  }
}

type Dependencies = Omit<PagesContext, "site" | "findSession" | "findProvider"> & {
  /** Finds the sessions of the built-in provider. */
  findOwnSession: FindOwnSession | undefined;
};

/** Answers requests for the account pages, whose people are signed in by the built-in provider or another one. */
export function openAccountPages({
  findOwnSession,
  ...parts
}: Dependencies): (request: Request) => Promise<Response> {
  const { config, keys } = parts;
  const ways = waysIn(config, findOwnSession);
  if (!ways) return async () => notSetUp(config);
  const origin = new URL(config.baseUrl).origin;
  const site = { ...front(config), origin, formKeys: keys.forms, afterSignIn: "/account", root: "/account" };
  const context = { ...parts, ...ways, site };
  return (request) => answerPage(context, request);
}

function waysIn(
  config: Config,
  findOwnSession: FindOwnSession | undefined,
): Pick<PagesContext, "findSession" | "findProvider"> | undefined {
  if (findOwnSession) return { findSession: findSessionsBy(findOwnSession), findProvider: undefined };
  const { authClient } = config;
  if (!authClient?.secret) return undefined;
  return { findSession: findSealedSession, findProvider: createFindProvider(config, authClient) };
}

/** Forms may lead to another provider: after a sign-out, or when the session has expired. */
const front = ({ authUrl, builtInIdentity }: Config) => ({
  home: "/account",
  formTargets: builtInIdentity ? [] : [new URL(authUrl).origin],
});

function notSetUp(config: Config): Response {
  const text =
    "This server has no credentials to sign people in with: AUTH_CLIENT_ID and AUTH_CLIENT_SECRET.";
  return message(front(config), "The account pages are not set up", text, { status: 503, link: null });
}
