import { listActions, maxUndone, maxUndoneLength, undoDays } from "../../../shared/contracts/action.ts";
import { validate } from "../../../shared/contracts/validate.ts";
import { msPerDay, resolveLocalTime } from "../../../shared/domain/day.ts";
import { lengthOfStored } from "../../../shared/domain/stored-images.ts";
import { timestamp } from "../../../shared/domain/timestamp.ts";
import { invalid, isRefused, type Refused } from "../../../shared/errors.ts";
import { readActions } from "../../queries/action.ts";
import type { QueryContext } from "../../queries/context.ts";
import type { TokenRun } from "../../queries/undone.ts";
import type { LoggedRow } from "./logged-row.ts";

/** What one token did in a time, and how far that was taken back: to the action that the cursor names. */
export type RunSelection = TokenRun & Readonly<{ cursor?: string | undefined; isBegun: boolean }>;

/** @returns what the parameters select; never what is too old to be taken back */
export function selectionOf(
  params: URLSearchParams,
  { now, timeZone }: Readonly<{ now: number; timeZone: string }>,
): RunSelection | Refused {
  const oldest = new Date(now - undoDays * msPerDay).toISOString();
  const since = instantOf(params.get("since"), timeZone) ?? oldest;
  const to = params.get("to") ?? new Date(now).toISOString();
  const cursor = params.get("cursor") ?? undefined;
  const token_id = params.get("token_id") ?? "";
  // What came with no token was done by the person on pages.
  if (token_id === "") return invalid({ token_id: ["The token_id field is required."] });
  const fields = { token_id, from: since, to, ...(cursor !== undefined && { cursor }) };
  const validated = validate(listActions, fields);
  if (isRefused(validated)) return validated;
  return { token_id, to, cursor, from: since > oldest ? since : oldest, isBegun: params.has("to") };
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
export const paramsOf = ({ token_id, from, to, cursor }: RunSelection): Record<string, string> => ({
  token_id,
  since: from,
  to,
  ...(cursor !== undefined && { cursor }),
});

/** As many actions from the first on as one command takes back. */
export function asOneCommand(actions: readonly LoggedRow[]): readonly LoggedRow[] {
  let length = 0;
  const end = actions.findIndex(({ before, after }, index) => {
    length += lengthOfStored(before) + lengthOfStored(after);
    return index > 0 && length > maxUndoneLength;
  });
  return end === -1 ? actions : actions.slice(0, end);
}

type Step = Readonly<{ actions: readonly LoggedRow[]; next: RunSelection; isLast: boolean }>;

const firstId = "00000000-0000-0000-0000-000000000000";

/** The newest changes of the selection that stand, and where to go on after them. */
export async function nextStep(
  query: QueryContext,
  selection: RunSelection,
  limit = maxUndone,
): Promise<Step> {
  const { token_id, from, to, cursor } = selection;
  const range = { token_id, from, to, ...(cursor !== undefined && { cursor }) };
  const { actions: found, next_cursor } = await readActions(query, { ...range, undoable: true, limit });
  const actions = asOneCommand(found);
  const last = actions.length < found.length ? actions.at(-1) : undefined;
  const reached = last
    ? `${last.called_at}_${last.request_id}`
    : (next_cursor ?? `${timestamp(from)}_${firstId}`);
  return { actions, next: { ...selection, cursor: reached }, isLast: !last && next_cursor === null };
}
