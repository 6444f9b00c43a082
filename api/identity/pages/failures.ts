import type { Context, Next } from "koa";
import { errors } from "oidc-provider";
import type { Log } from "../../../shared/process/observe/log.ts";
import { message } from "../../web/page.ts";
import { failurePage, notFoundPage } from "../../web/router.ts";
import { reply } from "./koa.ts";
import { outagePage } from "./oauth.ts";
import { messageSite } from "./site.ts";

/** Turns errors of pages and unknown addresses into pages that say what to do. */
export function explainFailures(log: Log) {
  return async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next();
      if (ctx.status === 503) ctx.set("Retry-After", "1");
      if (ctx.status === 404 && !ctx.body) await reply(ctx, notFoundPage(messageSite));
    } catch (error) {
      await reply(ctx, explain(ctx, log, error));
    }
  };
}

function explain(ctx: Context, log: Log, error: unknown): Response {
  if (error instanceof errors.SessionNotFound) {
    const text = "Go back to the app and connect it again.";
    return message(messageSite, "This took too long", text, { status: 400 });
  }
  if (error instanceof errors.TemporarilyUnavailable) return outage(ctx, error);
  if (isHttpError(error)) {
    return message(messageSite, "That did not work", error.message, { status: error.status });
  }
  log.error({ path: ctx.path, reason: String(error) }, "a page failed");
  return failurePage(messageSite);
}

/** Answers as oidc-provider answers errors: HTML for browsers, JSON for others. */
function outage(ctx: Context, error: errors.TemporarilyUnavailable): Response {
  if (ctx.accepts("json", "html") === "html") return outagePage(error);
  const { error: code, error_description } = error;
  const headers = { "Cache-Control": "no-store", "Retry-After": "1" };
  return Response.json({ error: code, error_description }, { status: 503, headers });
}

function isHttpError(error: unknown): error is Error & { status: number } {
  return error instanceof Error && "expose" in error && error.expose === true && "status" in error;
}
