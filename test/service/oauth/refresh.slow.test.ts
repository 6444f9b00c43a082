import { afterAll, expect, test } from "bun:test";
import { refreshAuthorization as presentRefresh } from "@modelcontextprotocol/client";
import { refreshAuthorization as legacyRefresh } from "@modelcontextprotocol/sdk/client/auth.js";
import { connect, registerApp, signedUp, tokenRequest, useIdentity } from "../../support/identity/support.ts";
import { startFaultyProxy } from "../client/faulty-proxy.ts";

const { config, introspect } = await useIdentity();
const proxy = await startFaultyProxy(config.baseUrl);
afterAll(() => proxy.stop());

const client_id = await registerApp(config);
const given = (refreshToken: string) => ({ clientInformation: { client_id }, refreshToken });

/** The refresh of both official libraries, and one without a library. */
const refreshes = [
  (token: string) => legacyRefresh(proxy.url, given(token)),
  (token: string) => presentRefresh(proxy.url, given(token)),
  (refresh_token: string) =>
    tokenRequest(
      { ...config, authUrl: proxy.url },
      { grant_type: "refresh_token", client_id, refresh_token },
    ),
] as const;

test("two clients that share one store refresh 200 times at once, lose answers, and are never signed out", async () => {
  const signedIn = await connect(config, await signedUp(config), {
    clientId: client_id,
    scope: "habits:read",
  });
  let { access_token, refresh_token = "" }: Partial<typeof signedIn> = signedIn;
  let lost = 0;

  /** Asks until an answer arrives. @throws when the answer is a refusal */
  async function refreshed(kind: number, token: string): Promise<Partial<typeof signedIn>> {
    const answer = await refreshes[kind % 3]?.(token).catch((error: Error) => error);
    if (answer && "access_token" in answer) return answer as Partial<typeof signedIn>;
    if (!(answer instanceof Error && "code" in answer && answer.code === "ECONNRESET")) throw answer;
    lost += 1;
    return refreshed(kind, token);
  }

  for (let round = 0; round < 200; round++) {
    // An answer of each round is cut off after the provider has committed it, and two of every third round.
    proxy.faults.push("cut", ...(round % 3 === 0 ? (["cut"] as const) : []));
    const both = await Promise.all([round, round + 1].map((kind) => refreshed(kind, refresh_token)));
    // Either may be stored last.
    ({ access_token, refresh_token = "" } = both[round % 2] ?? {});
  }
  expect(lost).toBeGreaterThanOrEqual(200);
  expect(await introspect(access_token ?? "")).toMatchObject({ active: true });
});
