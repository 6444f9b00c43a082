import type { Context, Next } from "koa";
import { errors } from "oidc-provider";
import type { Log } from "../../../shared/process/log.ts";
import { sendMessage } from "./respond.ts";

/** Turns what a page throws, and addresses that nobody serves, into pages that say what to do. */
export function explainFailures(log: Log) {
  return async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next();
      if (ctx.status === 404 && !ctx.body) {
        sendMessage(ctx, 404, "Not found", "There is no page at this address.");
      }
    } catch (error) {
      explain(ctx, log, error);
    }
  };
}

function explain(ctx: Context, log: Log, error: unknown): void {
  if (error instanceof errors.SessionNotFound) {
    sendMessage(ctx, 400, "This took too long", "Go back to the app and connect it again.");
  } else if (isHttpError(error)) {
    sendMessage(ctx, error.status, "That did not work", error.message);
  } else {
    log.error({ path: ctx.path, reason: String(error) }, "a page failed");
    ctx.set("Retry-After", "5");
    sendMessage(ctx, 503, "Something is broken here", "It is not your fault. Try again in a moment.");
  }
}

function isHttpError(error: unknown): error is Error & { status: number } {
  return error instanceof Error && "expose" in error && error.expose === true && "status" in error;
}
