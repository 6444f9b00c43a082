import { isRefused } from "../../../shared/errors.ts";
import { loggedIds } from "../../http/request.ts";
import { takeForm } from "../../web/form/form.ts";
import { inLocaleOf } from "../../web/locale.ts";
import { seeOther, stayOnPage } from "../../web/redirect.ts";
import { answerByMethod, failurePage, notFoundPage, type PageMethods } from "../../web/router.ts";
import { saveRules, showAgents } from "./action/approval/agents-page.ts";
import { decide, showApprovals } from "./action/approval/approvals.ts";
import { exportActions } from "./action/list/export.ts";
import { askForget, forgetThing } from "./action/list/forget.ts";
import { showActions } from "./action/list/page.ts";
import { agentsPath, approvalsPath } from "./action/paths.ts";
import { showRun, takeRunBack } from "./action/take-back/run.ts";
import { undoAction, undoChosen } from "./action/take-back/undo.ts";
import { addLine, newHabit, newTodo, previewLine } from "./add/page.ts";
import { changeFeed } from "./calendar/change.ts";
import { showConnect } from "./connect/page.ts";
import { showCategories } from "./edit/categories-page.ts";
import { categoryForm } from "./edit/category-form.ts";
import { createThing, deleteThing } from "./edit/create.ts";
import { habitForm } from "./edit/habit-form.ts";
import type { ThingForm } from "./edit/thing-form.ts";
import { todoForm } from "./edit/todo-form.ts";
import { editThing, saveThing } from "./edit/update.ts";
import { exportData } from "./export/export.ts";
import { showData } from "./export/page.ts";
import { showFound } from "./find/page.ts";
import { showFront } from "./front/page.ts";
import { showHabit } from "./habit/one.ts";
import { showHabits } from "./habit/page.ts";
import { applyStaged, showImport } from "./import/apply.ts";
import { uploadFiles } from "./import/upload.ts";
import { journalPath, showJournal } from "./journal/page.ts";
import { idInPath } from "./kit/path-id.ts";
import { showEvents } from "./live/events.ts";
import { requireProof, requireSignIn } from "./require-sign-in.ts";
import type { Guest, PageAnswer, PagesContext, Visit } from "./session/context.ts";
import { refusalPage } from "./session/refusal-page.ts";
import { sendTest } from "./settings/channel-test.ts";
import { showSettings } from "./settings/page.ts";
import { pushPath } from "./settings/push-card.ts";
import { addBrowser, removeBrowser, saveChannel, saveDay, saveTarget, sendAgain } from "./settings/save.ts";
import { targetPath, typedTargets } from "./settings/target-cards.ts";
import { sentPath, showSentForm } from "./sign-in/sent-form.ts";
import { beginSignIn, finishSignIn } from "./sign-in/sign-in.ts";
import { signOut } from "./sign-in/sign-out.ts";
import { toggleItem, undoTick } from "./tick/toggle.ts";
import { showToday } from "./today/page.ts";
import { changeMany, manyPath } from "./todo/many.ts";
import { showTodos } from "./todo/page.ts";
import { changeWebhook, makeWebhook, sendPostAgain } from "./webhook/change.ts";
import { showWebhooks, webhooksPath } from "./webhook/page.ts";

/** Pages by path; `:id` stands for the id of a thing: see `pathId`. */
const pages: Readonly<Record<string, PageMethods<Guest, PageAnswer>>> = {
  "/": { GET: showFront },
  "/account": { GET: requireSignIn(showToday) },
  "/account/todos": { GET: requireSignIn(showTodos) },
  "/account/habits": { GET: requireSignIn(showHabits) },
  "/account/habits/:id": { GET: requireSignIn(showHabit) },
  "/account/find": { GET: requireSignIn(showFound) },
  "/account/add": { GET: requireSignIn(previewLine), POST: requireSignIn(takeForm(addLine)) },
  "/account/todos/new": { GET: requireSignIn(newTodo), POST: requireSignIn(takeForm(createThing(todoForm))) },
  "/account/habits/new": {
    GET: requireSignIn(newHabit),
    POST: requireSignIn(takeForm(createThing(habitForm))),
  },
  "/account/categories": {
    GET: requireSignIn(showCategories),
    POST: requireSignIn(takeForm(createThing(categoryForm))),
  },
  ...formOf(todoForm, "/account/todos/:id"),
  ...formOf(habitForm, "/account/habits/:id/edit"),
  ...formOf(categoryForm, "/account/categories/:id"),
  "/account/connect": { GET: showConnect },
  "/account/live": { GET: showEvents },
  "/account/actions": { GET: requireSignIn(showActions) },
  "/account/actions/export": { GET: requireSignIn(exportActions) },
  "/account/actions/undo": formOn("/account/actions", undoAction),
  "/account/actions/choose": formOn("/account/actions", undoChosen),
  "/account/actions/run": { GET: requireSignIn(showRun), POST: requireSignIn(takeForm(takeRunBack)) },
  "/account/actions/forget": { GET: requireSignIn(askForget), POST: requireSignIn(takeForm(forgetThing)) },
  [approvalsPath]: { GET: requireSignIn(showApprovals), POST: requireSignIn(takeForm(decide)) },
  [agentsPath]: {
    GET: requireSignIn((visit) => showAgents(visit)),
    POST: requireSignIn(takeForm(saveRules)),
  },
  [webhooksPath]: {
    GET: requireSignIn((visit) => showWebhooks(visit)),
    POST: requireProof(takeForm(makeWebhook)),
  },
  [`${webhooksPath}/change`]: formOn(webhooksPath, changeWebhook),
  [`${webhooksPath}/again`]: formOn(webhooksPath, sendPostAgain),
  [journalPath]: { GET: requireSignIn(showJournal) },
  "/account/data": { GET: requireSignIn(showData) },
  "/account/data/import": { GET: () => seeOther("/account/data"), POST: requireSignIn(uploadFiles) },
  "/account/data/import/apply": {
    GET: requireSignIn(showImport),
    POST: requireSignIn(takeForm(applyStaged)),
  },
  "/account/data/calendar": formOn("/account/data", changeFeed),
  "/account/data/export": { GET: requireProof(exportData) },
  "/account/settings": { GET: requireSignIn((visit) => showSettings(visit)) },
  "/account/settings/day": formOn("/account/settings", saveDay),
  "/account/settings/reminders": formOn("/account/settings", saveChannel),
  "/account/settings/reminders/again": formOn("/account/settings", sendAgain),
  ...Object.fromEntries(
    typedTargets.map((target) => [
      targetPath(target.channel),
      formOn("/account/settings", saveTarget(target), requireProof),
    ]),
  ),
  "/account/settings/test": formOn("/account/settings", sendTest),
  [pushPath]: formOn("/account/settings", addBrowser),
  [`${pushPath}/remove`]: formOn("/account/settings", removeBrowser),
  [manyPath]: formOn("/account/todos", changeMany),
  "/account/tick": formOn("/account", toggleItem),
  "/account/tick/undo": formOn("/account", undoTick),
  "/account/sign-in": { GET: beginSignIn },
  [sentPath]: { GET: requireSignIn(showSentForm) },
  "/account/callback": { GET: finishSignIn },
  "/account/sign-out": { GET: () => seeOther("/account"), POST: signOut },
};

/** The addresses of a thing's form and of its delete button. */
function formOf(form: ThingForm, path: string): Readonly<Record<string, PageMethods<Guest, PageAnswer>>> {
  return {
    [path]: { GET: requireSignIn(editThing(form)), POST: requireSignIn(takeForm(saveThing(form))) },
    [`${path}/delete`]: formOn(form.home, deleteThing(form)),
  };
}

/** The address of a form's action. A browser that opens it is redirected to the form's page. */
function formOn(
  page: string,
  act: (visit: Visit, form: URLSearchParams) => Promise<PageAnswer>,
  require = requireSignIn,
): PageMethods<Guest, PageAnswer> {
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
export async function answerPage(context: PagesContext, request: Request): Promise<Response> {
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
