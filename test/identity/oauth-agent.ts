import type { Browser } from "./browser.ts";
import { consent, redirectUri } from "./support.ts";

/** An agent's memory of its registration and tokens, and the person who answers when it opens a browser. */
export function oauthAgent(browser: Browser, ticked: string[][]) {
  // `never` fits what both libraries expect to read back.
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
      const back = await consent(browser, await browser.open(address.href), ticked.shift());
      state.came = new URL(back.url).searchParams;
    },
  };
}
