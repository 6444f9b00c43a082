import type { TokenRuleRow } from "../../../shared/db/entities.ts";
import { type Refused, refuse } from "../../../shared/errors.ts";
import type { RuledToken } from "../../unit-of-work/views/ruled-token.ts";
import type { Effects } from "./effects.ts";

/** The page where the person changes the rules of tokens. */
const rulesAt = (baseUrl: string): string => `${baseUrl}/account/agents`;

type Circumstances = Readonly<{
  /** The user's day. */
  today: string;
  timeZone: string;
  category: RuledToken["category"];
  baseUrl: string;
}>;

/**
 * Judges a request by the rules of its token: it may be carried out, must be asked for, or is refused. A request that
 * waits uses up nothing of the day, because the person decides about it.
 */
export function verdictOn(
  rule: TokenRuleRow,
  effects: Effects,
  circumstances: Circumstances,
): "allowed" | "asks" | Refused {
  const { things, deletions, categories } = effects;
  if (things === 0) return "allowed";
  const isOutside = rule.category_id != null && [...categories].some((id) => id !== rule.category_id);
  if (isOutside) return outside(rule.category_id ?? 0, circumstances);
  const isMany = rule.ask_above != null && things > rule.ask_above;
  if (isMany || (rule.asks_deletions && deletions > 0)) return "asks";
  const { changes_used, deletions_used } = usedOn(rule, circumstances.today);
  if (isOver(changes_used + things, rule.changes_per_day))
    return usedUp("change", rule.changes_per_day, changes_used, circumstances);
  if (deletions > 0 && isOver(deletions_used + deletions, rule.deletions_per_day))
    return usedUp("delete", rule.deletions_per_day, deletions_used, circumstances);
  return "allowed";
}

const isOver = (used: number, most: number | null | undefined): boolean => most != null && used > most;

type Used = Readonly<Pick<TokenRuleRow, "used_on" | "changes_used" | "deletions_used">>;

/** The counts of a day. A change of zone may bring back an earlier day, which goes on with these counts. */
function usedOn({ used_on, changes_used, deletions_used }: Used, today: string): Used {
  const isNewDay = used_on == null || used_on < today;
  return isNewDay
    ? { used_on: today, changes_used: 0, deletions_used: 0 }
    : { used_on, changes_used, deletions_used };
}

/** The counts after a request that was carried out. */
export function usedWith(rule: Used, { things, deletions }: Effects, today: string): Used {
  const { used_on, changes_used, deletions_used } = usedOn(rule, today);
  return { used_on, changes_used: changes_used + things, deletions_used: deletions_used + deletions };
}

function outside(id: number, { category, baseUrl }: Circumstances): Refused {
  const which = category === null ? `category ${id}, which is deleted` : `the category “${category}” (${id})`;
  return refuse("token_limit", `This token may only change things in ${which}.`, {
    next: `Leave other things to the person, who can allow more at ${rulesAt(baseUrl)}`,
  });
}

function usedUp(
  verb: "change" | "delete",
  most: number | null | undefined,
  used: number,
  { timeZone, baseUrl }: Circumstances,
): Refused {
  const left = Math.max(0, (most ?? 0) - used);
  return refuse("token_limit", `This token may ${verb} ${most} things a day, of which ${left} are left.`, {
    next: `Try less, or wait for the next day in ${timeZone}. The person can allow more at ${rulesAt(baseUrl)}`,
  });
}
