import { invalid, type Refused } from "../../shared/errors.ts";
import type { NumberedTable } from "../unit-of-work/ids.ts";
import { quotas } from "../unit-of-work/quotas.ts";
import type { Context } from "./handler.ts";

/** Takes the room of one more row, or refuses with what to do. */
export function noRoom({ takeRoom }: Context, table: NumberedTable): Refused | undefined {
  if (takeRoom(table)) return undefined;
  const most = quotas[table].toLocaleString("en");
  return invalid({
    [table]: [`You have ${most} ${table}, the most that one account can have; delete some first.`],
  });
}
