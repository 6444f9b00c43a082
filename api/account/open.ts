import type { IdentityClient } from "../../shared/process/identity-client.ts";
import { message } from "./respond.ts";
import { answerPage } from "./router.ts";
import type { PagesContext } from "./visit/context.ts";
import { deriveKeys } from "./visit/keys.ts";
import { createFindProvider } from "./visit/relying-party.ts";

type Parts = Omit<PagesContext, "keys" | "findProvider"> & { client: IdentityClient | undefined };

/** Answers requests for the account pages, which sign people in as `client` at the provider. */
export function openAccountPages({ client, ...parts }: Parts): (request: Request) => Promise<Response> {
  if (!client?.secret) return async () => notSetUp(parts);
  const keys = deriveKeys(client.secret);
  const context = { ...parts, keys, findProvider: createFindProvider(parts.config.authUrl, client) };
  return (request) => answerPage(context, request);
}

function notSetUp(context: Pick<PagesContext, "config">): Response {
  const text =
    "This server has no credentials to sign people in with: AUTH_CLIENT_ID and AUTH_CLIENT_SECRET.";
  return message(context, "The account pages are not set up", text, { status: 503, link: null });
}
