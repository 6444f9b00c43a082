import type { Config } from "../../../shared/process/config.ts";
import { message } from "../../web/page.ts";
import { answerPage } from "./router.ts";
import type { FindOwnSession, PagesContext } from "./session/context.ts";
import { createFindProvider } from "./session/relying-party.ts";
import { findSealedSession, findSessionsBy } from "./session/session.ts";

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
