import { conflict, invalid } from "../../../shared/errors.ts";
import { allForUpdate, withoutLock } from "../../unit-of-work/row-request.ts";
import type { Handler } from "../handler.ts";

/** The most tokens of one account that have rules. */
const mostRuled = 200;

/** Rules that ask for nothing and limit nothing are none. */
export const tokenSetRules: Handler<"token.set-rules"> = {
  idempotent: true,
  rows: ({ category_id }) => [allForUpdate("token_rules"), ...withoutLock("categories", category_id)],
  run({ tokenRules, categories, now }, { token_id, ...rules }) {
    const before = tokenRules.get(token_id);
    const { asks_deletions, category_id, ...limits } = rules;
    if (category_id !== null && category_id !== before?.category_id && !categories.get(category_id))
      return invalid({ category_id: ["The category_id field must be the id of one of your categories."] });
    if (!asks_deletions && category_id === null && Object.values(limits).every((limit) => limit === null)) {
      if (before) tokenRules.remove(token_id);
    } else if (before) tokenRules.update(before, { ...rules, updated_at: now });
    else if (tokenRules.all().length >= mostRuled)
      return conflict(`${mostRuled} tokens have rules, the most that can`, "take the rules of another away.");
    else {
      const unused = { used_on: null, changes_used: 0, deletions_used: 0 };
      tokenRules.insert({ token_id, ...rules, ...unused, created_at: now, updated_at: now });
    }
    return null;
  },
};
