import type { Stack } from "../../harness.ts";
import { newcomer } from "../../support/mcp.ts";

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
  const page = await stack.page();
  return {
    page,
    async someone(rules: Rules = {}) {
      const sub = crypto.randomUUID();
      const token_id = `${sub}-1`;
      const mine = await newcomer(stack, { sub, jti: token_id, client_name: "Claude" });
      const own = await newcomer(stack, { sub, jti: `${sub}-2`, client_name: "Own script" });
      const setRules = (some: Rules) => page.send(sub, "token.set-rules", { token_id, ...noRules, ...some });
      if (Object.keys(rules).length > 0) await setRules(rules);
      const rows = async (sql: string) => (await page.pool.query(sql, [sub])).rows;
      return {
        ...{ sub, token_id, setRules, rows, agent: mine },
        /** The token with rules, and another of the same person. */
        rest: mine.rest,
        own: own.rest,
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
