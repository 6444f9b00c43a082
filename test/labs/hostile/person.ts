import type { Browser } from "../../support/identity/browser.ts";
import { accountOf, signedUp, tokenByForm } from "../../support/identity/support.ts";
import { rpc } from "../../support/mcp.ts";

/** The addresses of the service. */
export type Site = Readonly<{ baseUrl: string; authUrl: string }>;

/** Somebody with an account, signed in to the account pages, with one token of all scopes. */
export type Person = Readonly<{
  email: string;
  account: Browser;
  /** Headers of their requests over REST and MCP; each person comes from a network of their own. */
  headers: Readonly<Record<string, string>>;
}>;

export async function newPerson({ baseUrl, authUrl }: Site, network: string): Promise<Person> {
  const email = `${crypto.randomUUID()}@example.org`;
  const provider = await signedUp({ authUrl }, email, { time_zone: "UTC" });
  const account = await accountOf(provider, baseUrl);
  const headers = {
    authorization: `Bearer ${await tokenByForm(provider, "Agent")}`,
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    "x-forwarded-for": network,
  };
  return { email, account, headers };
}

export const toolCall = (name: string, args: object): string =>
  JSON.stringify(rpc("tools/call", { name, arguments: args }));
