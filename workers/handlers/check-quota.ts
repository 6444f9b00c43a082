import { invalid, type Refused } from "../../shared/errors.ts";
import type { NumberedTable } from "../unit-of-work/ids.ts";
import { quotas } from "../unit-of-work/quotas.ts";
import type { HandlerContext } from "./handler.ts";

/**
 * Counts one more row against the user's quota.
 * @returns a refusal that says what to do when the quota is used up
 */
export function checkQuota({ useQuota }: HandlerContext, table: NumberedTable): Refused | undefined {
  if (useQuota(table)) return undefined;
  const most = quotas[table].toLocaleString("en");
  const reason = `You have ${most} ${table}, the most that one account can have`;
  return invalid({ [table]: [{ reason, next: "delete some first." }] });
}
