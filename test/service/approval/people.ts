import type { Stack } from "../../harness.ts";
import { agent } from "../../support/mcp.ts";
import { openPageDoor } from "../../support/page-door.ts";

const noRules = {
  asks_deletions: false,
  ask_above: null,
  changes_per_day: null,
  deletions_per_day: null,
  category_id: null,
};

export type Rules = Partial<Record<keyof typeof noRules, number | boolean | null>>;

/** People with an agent that has rules, and what they decide, as the account pages send it. */
export async function openApprovals(stack: Stack) {
  const page = await openPageDoor(stack);
  return {
    page,
    async someone(rules: Rules = {}) {
      const sub = crypto.randomUUID();
      const token_id = `${sub}-1`;
      const mine = await agent(stack, { sub, jti: token_id, client_name: "Claude" });
      const setRules = (some: Rules) => page.send(sub, "token.set-rules", { token_id, ...noRules, ...some });
      const own = await stack.issuer.token({ sub, jti: `${sub}-2`, client_name: "Own script" });
      const send = (token: string) => (method: string, path: string, body?: unknown, key?: string) =>
        stack.rest(method, path, {
          token,
          ...(body !== undefined && { body }),
          ...(key !== undefined && { headers: { "idempotency-key": key } }),
        });
      if (Object.keys(rules).length > 0) await setRules(rules);
      const rows = async (sql: string) => (await page.pool.query(sql, [sub])).rows;
      return {
        ...{ sub, token_id, setRules, rows, agent: mine },
        /** The token with rules, and another of the same person. */
        rest: send(mine.token),
        own: send(own),
        decide: (approve: boolean, ...approval_ids: string[]) =>
          page.send(sub, "approval.decide", { approval_ids, approve }),
        titles: async () =>
          (await rows("select title from todos where user_id = $1 order by id")).map(({ title }) => title),
        log: () =>
          rows(
            "select tool, outcome, token_id, request_id, message from action_log where user_id = $1 order by called_at, request_id",
          ),
      };
    },
  };
}
