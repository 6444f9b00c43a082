import type { Stack } from "../../harness.ts";
import type { Browser, Page } from "../identity/browser.ts";
import { callTool } from "../mcp.ts";
import { signedInBrowser } from "./live-support.ts";

/** The text of a page as its reader sees it, with one space between its parts. */
export const textOf = ({ text }: Page): string =>
  text
    .replace(/<\/?(q|bdi|a|span|strong|code)\b[^>]*>/g, "")
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ");

/** The cards of a list, as HTML. */
export const cardsOf = ({ text }: Page): string[] => text.split(/<li class="card[^"]*"/).slice(1);

/** The values of hidden fields in the newest card with this text. */
export function fieldsIn(page: Page, text: string) {
  const card = cardsOf(page).find((one) => one.includes(text)) ?? "";
  return (name: string) =>
    new RegExp(`name="${name}" value="([^"]+)"`).exec(card)?.[1] ?? `no ${name} beside ${text}`;
}

/** Presses the button that takes back the newest action with this text. */
export function takeBackOn(browser: Browser, page: Page, text: string): Promise<Page> {
  const field = fieldsIn(page, text);
  const key = { request_id: field("request_id"), called_at: field("called_at") };
  return browser.submit(page, "/account/actions/undo", key);
}

/** The values of a form, by the names of its fields. */
export const fieldsOf = (page: Page, action: string) =>
  Object.fromEntries(page.forms.find((form) => form.action === action)?.fields ?? []);

/** The page with those forms alone that have this field: a list has a form for each row, with one address for all. */
export const withForms = (page: Page, name: string, value?: string | number): Page => ({
  ...page,
  forms: page.forms.filter(({ fields }) =>
    fields.some((one) => one[0] === name && (value === undefined || one[1] === String(value))),
  ),
});

/** A new person of a stack in a browser without scripts, and what scripts and agents do with tokens of theirs. */
export async function newPlainPerson(stack: Stack, app = "Claude Desktop") {
  const sub = crypto.randomUUID();
  const token = await stack.issuer.token({ sub, client_name: app });
  return {
    sub,
    token,
    account: await signedInBrowser(stack.config, sub),
    /** A token of another app. */
    newToken: (client_name: string) => stack.issuer.token({ sub, client_name }),
    ...callsOf(stack, token),
  };
}

/** Calls of REST and MCP with one token. */
export function callsOf({ rest, config }: Pick<Stack, "rest" | "config">, token: string) {
  const answer = (method: string, path: string, body?: object) =>
    rest(method, path, { token, ...(body && { body }) });
  return {
    answer,
    rest: async (method: string, path: string, body?: object) => (await answer(method, path, body)).body,
    /** One tool call over MCP. */
    async call(name: string, args: object = {}) {
      const { status, body } = await callTool({ config }, token, name, args);
      return { status, result: body?.result as unknown };
    },
  };
}
