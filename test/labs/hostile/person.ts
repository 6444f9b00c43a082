import type { Browser } from "../../support/identity/browser.ts";
import { signedUp, tokenByForm } from "../../support/identity/support.ts";
import { rpc } from "../../support/mcp.ts";

/** The address of the service. */
export type Site = Readonly<{ baseUrl: string }>;

/** Somebody with an account, signed in to the account pages, with one token of all scopes. */
export type Person = Readonly<{
  email: string;
  account: Browser;
  /** Headers of their requests over REST and MCP; each person comes from a network of their own. */
  headers: Readonly<Record<string, string>>;
}>;

export async function newPerson({ baseUrl }: Site, network: string): Promise<Person> {
  const email = `${crypto.randomUUID()}@example.org`;
  const account = await signedUp({ authUrl: baseUrl }, email, { time_zone: "UTC" });
  const headers = {
    authorization: `Bearer ${await tokenByForm(account, "Agent")}`,
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    "x-forwarded-for": network,
  };
  return { email, account, headers };
}

export const toolCall = (name: string, args: object): string =>
  JSON.stringify(rpc("tools/call", { name, arguments: args }));
