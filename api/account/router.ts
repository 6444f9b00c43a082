import { isRefused } from "../../shared/errors.ts";
import { stylesheet } from "../../shared/web/html.ts";
import { showActions } from "./actions/page.ts";
import { readForm } from "./form.ts";
import { message, refusalPage, seeOther } from "./respond.ts";
import { showSettings } from "./settings/page.ts";
import { saveChannel, saveDay, saveWebhook, sendTest } from "./settings/save.ts";
import { beginSignIn, finishSignIn, signInAddress } from "./sign-in/sign-in.ts";
import { signOut } from "./sign-in/sign-out.ts";
import { showToday } from "./today/page.ts";
import { tickOff } from "./today/toggle.ts";
import type { PagesContext, Visit } from "./visit/context.ts";
import { currentSession } from "./visit/session.ts";

type Page = (context: PagesContext, request: Request, url: URL) => Promise<Response> | Response;
type Methods = Readonly<{ GET?: Page; POST?: Page }>;

const pages: Readonly<Record<string, Methods>> = {
  "/": { GET: () => seeOther("/account") },
  [stylesheet.path]: { GET: sendStylesheet },
  "/account": { GET: own(showToday) },
  "/account/actions": { GET: own(showActions) },
  "/account/settings": { GET: own((visit) => showSettings(visit)) },
  "/account/settings/day": form(saveDay, "/account/settings"),
  "/account/settings/reminders": form(saveChannel, "/account/settings"),
  "/account/settings/webhook": form(saveWebhook, "/account/settings"),
  "/account/settings/webhook/test": form(sendTest, "/account/settings"),
  "/account/tick": form(tickOff, "/account"),
  "/account/sign-in": { GET: beginSignIn },
  "/account/callback": { GET: finishSignIn },
  "/account/sign-out": form(signOut, "/account"),
};

/** Addresses that the account pages answer; `*` stands for anything. */
export const accountPaths = ["/", stylesheet.path, "/account", "/account/*"];

/** Answers one request for a page. */
export async function answerPage(context: PagesContext, request: Request): Promise<Response> {
  const url = new URL(request.url);
  const methods = pages[url.pathname];
  if (!methods) return message(context, "Not found", "There is no page at this address.", { status: 404 });
  const answer = methods[request.method === "HEAD" ? "GET" : (request.method as keyof Methods)];
  if (!answer) {
    const headers = { Allow: Object.keys(methods).join(", ") };
    const text = "This address does not take that method.";
    return message(context, "That did not work", text, { status: 405, headers });
  }
  try {
    return await answer(context, request, url);
  } catch (error) {
    const reason = error instanceof Error ? error.stack : String(error);
    context.log.error({ path: url.pathname, reason }, "a page failed");
    const text = "It is not your fault. Try again in a moment.";
    return message(context, "Something is broken here", text, {
      status: 503,
      headers: { "Retry-After": "5" },
    });
  }
}

/** A page for signed-in people only: strangers sign in first and come back. */
function own(show: (visit: Visit) => Promise<Response> | Response): Page {
  return async (context, request, url) => {
    const session = await currentSession(context, request);
    if (session) return show({ context, request, url, session });
    const next = request.method === "GET" ? `${url.pathname}${url.search}` : backTo(request);
    return seeOther(signInAddress(context, next));
  };
}

/** The page that a form was on: where its person wants to be after signing in again. */
const backTo = (request: Request): string =>
  URL.parse(request.headers.get("referer") ?? "")?.pathname ?? "/account";

/** What a signed-in person's form asks for; whoever comes by its address alone goes to the page it is on. */
function form(act: (visit: Visit, form: URLSearchParams) => Promise<Response>, back: string): Methods {
  const post = own(async (visit) => {
    const form = await readForm(visit);
    return isRefused(form) ? refusalPage(visit.context, form.refusal) : act(visit, form);
  });
  return { GET: () => seeOther(back), POST: post };
}

function sendStylesheet(): Response {
  const headers = {
    "content-type": "text/css; charset=utf-8",
    "cache-control": "public, max-age=31536000, immutable",
  };
  return new Response(stylesheet.css, { headers });
}
