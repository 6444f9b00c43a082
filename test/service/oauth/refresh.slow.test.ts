import { afterAll, expect, test } from "bun:test";
import { refreshAuthorization as presentRefresh } from "@modelcontextprotocol/client";
import { refreshAuthorization as legacyRefresh } from "@modelcontextprotocol/sdk/client/auth.js";
import { connect, registerApp, signedUp, tokenRequest, useIdentity } from "../../support/identity/support.ts";
import { startFaultyProxy } from "../client/faulty-proxy.ts";

const { config, introspect } = await useIdentity();
const proxy = await startFaultyProxy(config.baseUrl);
afterAll(() => proxy.stop());

const client_id = await registerApp(config);
const ofLibrary = (refreshToken: string) => ({ clientInformation: { client_id }, refreshToken });

/** The refresh of both official libraries, and one without a library. */
const refreshes = [
  (token: string) => legacyRefresh(proxy.url, ofLibrary(token)),
  (token: string) => presentRefresh(proxy.url, ofLibrary(token)),
  (refresh_token: string) =>
    tokenRequest(
      { ...config, authUrl: proxy.url },
      { grant_type: "refresh_token", client_id, refresh_token },
    ),
];

test("two clients that share one store refresh 200 times at once, lose answers, and are never signed out", async () => {
  let store: { access_token: string; refresh_token?: string | undefined } = await connect(
    config,
    await signedUp(config),
    { clientId: client_id, scope: "habits:read" },
  );
  let lost = 0;

  /** Asks until an answer arrives. @throws when the answer is a refusal */
  async function refreshed(round: number, token: string): Promise<typeof store> {
    const answer = await refreshes[round % 3]?.(token).catch((error: Error) => error);
    if (answer && "access_token" in answer) return answer;
    if (!(answer instanceof Error && "code" in answer && answer.code === "ECONNRESET")) throw answer;
    lost += 1;
    return refreshed(round, token);
  }

  for (let round = 0; round < 200; round++) {
    const { refresh_token = "" } = store;
    // The first answer of each round is cut off after the provider has committed it, and of every third the second, too.
    proxy.faults.push("cut", ...(round % 3 === 0 ? (["cut"] as const) : []));
    const both = await Promise.all([refreshed(round, refresh_token), refreshed(round + 1, refresh_token)]);
    // Either may be stored last.
    store = both[round % 2] ?? store;
  }
  expect(lost).toBeGreaterThanOrEqual(200);
  expect(await introspect(store.access_token)).toMatchObject({ active: true });
});
