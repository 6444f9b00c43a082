import type { Browser } from "./browser.ts";
import { consent, redirectUri } from "./support.ts";

/** An agent's memory of its registration and tokens, and the person who answers when it opens a browser. */
export const oauthAgent = (browser: Browser, ticked: string[][]) =>
  agentOf(async (address) => consent(browser, await browser.open(address.href), ticked.shift()));

/** The same for any person: `visit` opens an address for them, and ends at the one that leads back to the agent. */
export function agentOf(visit: (address: URL) => Promise<Readonly<{ url: string }>>) {
  // `never` satisfies the types of both libraries.
  const state: { client?: never; tokens?: never; verifier: string; came: URLSearchParams } = {
    verifier: "",
    came: new URLSearchParams(),
  };
  return {
    came: () => state.came,
    redirectUrl: redirectUri,
    clientMetadata: {
      client_name: "Official client",
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      token_endpoint_auth_method: "none",
    },
    clientInformation: () => state.client,
    saveClientInformation(client: unknown) {
      state.client = client as never;
    },
    tokens: () => state.tokens,
    saveTokens(tokens: unknown) {
      state.tokens = tokens as never;
    },
    saveCodeVerifier(verifier: string) {
      state.verifier = verifier;
    },
    codeVerifier: () => state.verifier,
    async redirectToAuthorization(address: URL) {
      state.came = new URL((await visit(address)).url).searchParams;
    },
  };
}
