import { isRefused, type Refused } from "../../../shared/errors.ts";
import type { QueryContext } from "./context.ts";

const attempts = 10;

/**
 * Reads one step of a file when it is the user's turn. A file is no reason to refuse its person's other reads, so it asks
 * for its turn again and again.
 * @throws Error when that was in vain
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
