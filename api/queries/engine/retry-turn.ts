import { isRefused, type Refused } from "../../../shared/errors.ts";
import type { QueryContext } from "./context.ts";

const attempts = 10;

/**
 * Reads one step of a file in the user's turn. It asks for the turn again and again, because a download should not
 * fail for a busy moment.
 * @throws Error when the turn never came
 */
export async function retryTurn<Result extends object>(
  query: QueryContext,
  read: (query: QueryContext) => Promise<Result>,
  isSearch = false,
): Promise<Exclude<Result, Refused>> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const found = await query.inTurn(read, isSearch);
    if (!isRefused(found)) return found as Exclude<Result, Refused>;
    await Bun.sleep(1_000);
  }
  throw new Error("It was never the user's turn to read on.");
}
