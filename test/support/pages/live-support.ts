import { loadPagesKeys, type PagesKeys } from "../../../api/doors/pages/session/sealed-cookie.ts";
import { sessionCookie } from "../../../api/doors/pages/session/session.ts";
import type { Followed } from "../../../api/doors/streams/hub.ts";
import type { Config } from "../../../shared/process/config.ts";
import { type Browser, createBrowser } from "../identity/browser.ts";
import { eventually } from "../reminder/stack.ts";
import { withPool } from "../signed.ts";

/** With these settings a door has account pages; tests sign people in without a provider. */
export const pagesEnv = { AUTH_CLIENT_ID: "kept", AUTH_CLIENT_SECRET: "s" };

type Site = Pick<Config, "baseUrl" | "databaseUrl">;

/** The keys of the account pages' cookies and forms of a database. */
export const pagesKeysOf = (config: Pick<Config, "databaseUrl">): Promise<PagesKeys> =>
  withPool(config, loadPagesKeys);

/** The value of a session cookie. */
export async function sessionOf(
  config: Site,
  sub: string,
  { sid = sub, generation = 0 } = {},
): Promise<string> {
  const keys = await pagesKeysOf(config);
  const proven_at = Math.floor(Date.now() / 1_000);
  const cookie = await sessionCookie({ config: config as Config, keys }).seal({
    sub,
    sid,
    generation,
    proven_at,
  });
  return cookie.slice(cookie.indexOf("=") + 1, cookie.indexOf(";"));
}

/** A browser without scripts in which somebody is signed in. */
export async function signedInBrowser(config: Site, sub: string, sid?: string): Promise<Browser> {
  const browser = createBrowser(config.baseUrl);
  const value = await sessionOf(config, sub, sid === undefined ? {} : { sid });
  browser.cookies.set("kept_account", { value, path: "/account" });
  return browser;
}

export type TestStream = Awaited<ReturnType<typeof openStream>>;

type StreamOptions = Readonly<{ lastEventId?: string; generation?: number; follows?: Followed }>;

/** Listens to the events of a person's pages. */
export async function openStream(
  config: Site,
  sub: string,
  { lastEventId, generation = 0, follows = "changes" }: StreamOptions = {},
) {
  const abort = new AbortController();
  const answer = await fetch(`${config.baseUrl}/account/live?follows=${follows}`, {
    headers: {
      cookie: `kept_account=${await sessionOf(config, sub, { generation })}`,
      ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
    },
    signal: abort.signal,
  });
  let text = "";
  const decoder = new TextDecoder();
  const ended = (async () => {
    for await (const chunk of answer.body ?? []) text += decoder.decode(chunk);
  })().catch(() => {});
  const idsOf = (kind: string) => [...text.matchAll(new RegExp(`event: ${kind}\n(?:id: (\\w+)\n)?`, "g"))];
  return {
    status: answer.status,
    headers: answer.headers,
    count: (kind: string) => idsOf(kind).length,
    /** Waits until as many events of that kind have come. @returns the id of the last one */
    async event(kind: string, count = 1): Promise<string> {
      const [, id = ""] = await eventually(() => idsOf(kind)[count - 1]);
      return id;
    },
    /** Resolves when the server has ended it. */
    ended,
    close: () => abort.abort(),
  };
}
