import { listActions } from "../../../../../shared/contracts/action/contracts.ts";
import { maxUndone, maxUndoneLength, undoDays } from "../../../../../shared/contracts/action/undo.ts";
import { withinLength } from "../../../../../shared/domain/action/stored-images.ts";
import { msPerDay, resolveLocalTime } from "../../../../../shared/domain/day/day.ts";
import { invalid, isRefused, type Refused } from "../../../../../shared/errors.ts";
import { validate } from "../../../../http/input/validate.ts";
import { readActions } from "../../../../queries/action/read.ts";
import type { TokenRun } from "../../../../queries/action/undone.ts";
import type { QueryContext } from "../../../../queries/engine/context.ts";
import type { LoggedRow } from "../words/logged-row.ts";

/** One token's changes in a time, and whether taking them back was begun. */
export type RunSelection = TokenRun & Readonly<{ isBegun: boolean }>;

/** @returns what the parameters select; never what is too old to be taken back */
export function selectionOf(
  params: URLSearchParams,
  { now, timeZone }: Readonly<{ now: number; timeZone: string }>,
): RunSelection | Refused {
  const oldest = new Date(now - undoDays * msPerDay).toISOString();
  const since = instantOf(params.get("since"), timeZone) ?? oldest;
  const to = params.get("to") ?? new Date(now).toISOString();
  const token_id = params.get("token_id") ?? "";
  // What came with no token was done by the person on pages.
  if (token_id === "") return invalid({ token_id: ["The token_id field is required."] });
  const validated = validate(listActions, { token_id, from: since, to });
  if (isRefused(validated)) return validated;
  return { token_id, to, from: since > oldest ? since : oldest, isBegun: params.has("to") };
}

const wallTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?)?$/;

/** An address has an instant, and a field of a form the person's own time. */
function instantOf(text: string | null, timeZone: string): string | undefined {
  if (!text) return undefined;
  if (!wallTime.test(text)) return text;
  try {
    return new Date(resolveLocalTime(text, timeZone)).toISOString();
  } catch {
    return text;
  }
}

/** The selection as parameters of an address or fields of a form. */
export const paramsOf = ({ token_id, from, to }: RunSelection): Record<string, string> => ({
  token_id,
  since: from,
  to,
});

/** @returns the newest changes of the selection that stand: as many as one command may take back */
export async function newestStanding(
  query: QueryContext,
  { token_id, from, to }: RunSelection,
): Promise<readonly LoggedRow[]> {
  const found: LoggedRow[] = [];
  const range = { token_id, from, to, undoable: true, limit: maxUndone };
  let cursor: string | null | undefined;
  for (let page = 0; page < mostPages && found.length < maxUndone && cursor !== null; page++) {
    const read = await readActions(query, { ...range, ...(cursor && { cursor }) });
    found.push(...read.actions);
    cursor = read.next_cursor;
  }
  return withinLength(found.slice(0, maxUndone), maxUndoneLength);
}

/** A token may have done little among much reading: so many pages of its log are looked through. */
const mostPages = 5;
