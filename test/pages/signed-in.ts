import { deriveKeys } from "../../api/account/visit/keys.ts";
import { sessionCookie } from "../../api/account/visit/session.ts";
import type { Stack } from "../harness.ts";
import { type Browser, createBrowser } from "../identity/browser.ts";

const secret = "s".repeat(32);

/** Settings of a stack whose account pages take sessions without asking a provider. */
export const pagesClient = { AUTH_CLIENT_ID: "kept", AUTH_CLIENT_SECRET: secret };

/** The cookie of a person who is signed in to the account pages of a stack that was started with `pagesClient`. */
export async function sessionOf({ config }: Pick<Stack, "config">, sub: string): Promise<string> {
  const line = await sessionCookie({ config, keys: deriveKeys(secret) }).seal({
    sub,
    sid: "1",
    generation: 0,
  });
  return line.slice(line.indexOf("=") + 1, line.indexOf(";"));
}

/** A browser without scripts in which that person is signed in. */
export async function browserOf(stack: Pick<Stack, "config">, sub: string): Promise<Browser> {
  const browser = createBrowser(stack.config.baseUrl);
  browser.cookies.set("kept_account", { value: await sessionOf(stack, sub), path: "/account" });
  return browser;
}
