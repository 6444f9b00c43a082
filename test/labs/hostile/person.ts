import { type Browser, createBrowser } from "../../support/identity/browser.ts";
import { signedUp, tokenByForm } from "../../support/identity/support.ts";
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
  const account = createBrowser(baseUrl);
  await account.open((await provider.open((await account.open("/account")).url)).url);
  const headers = {
    authorization: `Bearer ${await tokenByForm(provider, "Agent")}`,
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    "x-forwarded-for": network,
  };
  return { email, account, headers };
}

/** Cookies of a browser as one header. */
export const cookieOf = ({ cookies }: Browser): string =>
  [...cookies].map(([name, { value }]) => `${name}=${value}`).join("; ");

export const toolCall = (name: string, args: object): string =>
  JSON.stringify(rpc("tools/call", { name, arguments: args }));
