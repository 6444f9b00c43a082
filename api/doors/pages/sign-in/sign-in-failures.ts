import * as oidc from "openid-client";
import { message } from "../../../web/page.ts";
import type { PagesContext } from "../session/context.ts";

/** The page for a failed sign-in that the provider sent back. */
export function failedSignInPage(context: PagesContext, error: Error): Response {
  if (error instanceof oidc.AuthorizationResponseError)
    return startAgainPage(context, "The sign-in was cancelled.");
  if (isWrongAnswer(error))
    return startAgainPage(context, "This sign-in is not the one that you started here last.");
  return providerUnavailablePage(context, error);
}

/** True if the answer belongs to another sign-in or its code was used before; then the provider is not at fault. */
function isWrongAnswer(error: unknown): boolean {
  if (error instanceof oidc.ResponseBodyError) return error.error === "invalid_grant";
  return error instanceof oidc.ClientError && wrongAnswers.includes(error.code ?? "");
}

const wrongAnswers = [
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
];

export function startAgainPage(context: PagesContext, text: string): Response {
  const link = { href: "/account", label: "Sign in again" };
  return message(context.site, "You are not signed in", text, { status: 400, link });
}

export function providerUnavailablePage(context: PagesContext, error: Error): Response {
  context.log.warn({ reason: error.message }, "the identity provider cannot sign anybody in");
  const text = "The identity provider that signs you in cannot be reached. Your habits and todos are safe.";
  const link = { href: "/account", label: "Try again" };
  return message(context.site, "Sign-in is away for a moment", text, {
    status: 503,
    headers: { "Retry-After": "5" },
    link,
  });
}
