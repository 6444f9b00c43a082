import type { Answer, JsonBody, Stack } from "../harness.ts";
import { newcomer } from "./mcp.ts";
import { query } from "./reminder/stack.ts";

type Options = Readonly<{ atomic?: boolean; key?: string }>;

/** The operation that makes a todo. */
export const create = (title: string, more: object = {}) => ({
  ...{ method: "POST", path: "/todos" },
  body: { title, ...more },
});

export const statuses = ({ body }: Answer): number[] => body.results.map(({ status }: JsonBody) => status);

/** Somebody new who sends groups. */
export async function groupSender(stack: Stack, claims: Record<string, unknown> = {}) {
  const { sub, token, rest } = await newcomer(stack, claims);
  return {
    ...{ sub, token, rest },
    group: (operations: readonly unknown[], { atomic, key }: Options = {}) =>
      rest("POST", "/batch", { operations, ...(atomic !== undefined && { atomic }) }, key),
    /** The titles of their todos as they are stored. */
    titles: async (): Promise<string[]> => {
      const text = "select title from todos where user_id = $1 order by id";
      return (await query(stack.config.databaseUrl, text, [sub])).map(({ title }) => title);
    },
  };
}
