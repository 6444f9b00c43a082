import type { Config } from "../../../shared/process/config.ts";
import type { IdentityClient } from "../../auth/identity-client.ts";
import { message } from "../../web/page.ts";
import { answerPage } from "./router.ts";
import type { PagesContext } from "./session/context.ts";
import { createFindProvider } from "./session/relying-party.ts";

type Dependencies = Omit<PagesContext, "site" | "findProvider"> & {
  client: IdentityClient | undefined;
};

/** Answers requests for the account pages, which sign people in as `client` at the provider. */
export function openAccountPages({
  client,
  ...parts
}: Dependencies): (request: Request) => Promise<Response> {
  if (!client?.secret) return async () => notSetUp(parts.config);
  const { config, keys } = parts;
  const origin = new URL(config.baseUrl).origin;
  const site = { ...front(config), origin, formKeys: keys.forms, afterSignIn: "/account", root: "/account" };
  const context = { ...parts, site, findProvider: createFindProvider(config, client) };
  return (request) => answerPage(context, request);
}

/** Forms may lead to the provider: after a sign-out, or when the session has expired. */
const front = ({ authUrl }: Config) => ({ home: "/account", formTargets: [new URL(authUrl).origin] });

function notSetUp(config: Config): Response {
  const text =
    "This server has no credentials to sign people in with: AUTH_CLIENT_ID and AUTH_CLIENT_SECRET.";
  return message(front(config), "The account pages are not set up", text, { status: 503, link: null });
}
