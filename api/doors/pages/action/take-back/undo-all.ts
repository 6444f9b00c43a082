import { listActions } from "../../../../../shared/contracts/action/contracts.ts";
import { undoDays } from "../../../../../shared/contracts/action/undo.ts";
import type { Commands, OutputOf } from "../../../../../shared/contracts/catalogue.ts";
import { msPerDay, resolveLocalTime } from "../../../../../shared/domain/day/day.ts";
import { invalid, isRefused, type Refused } from "../../../../../shared/errors.ts";
import { isConnectionId } from "../../../../auth/token-format.ts";
import { validate } from "../../../../http/input/validate.ts";
import type { TokenPeriod } from "../../../../queries/action/token-period.ts";
import { readDaySettings } from "../../../../queries/engine/context.ts";
import { csrfHolds, csrfToken } from "../../../../web/form/csrf.ts";
import { seeOther } from "../../../../web/redirect.ts";
import type { PageAnswer, Visit } from "../../session/context.ts";
import { submit } from "../../session/submit.ts";
import { runPath } from "../paths.ts";

/** @returns the token and period in the parameters, without actions that are too old to be undone */
export function periodIn(
  params: URLSearchParams,
  { now, timeZone }: Readonly<{ now: number; timeZone: string }>,
): TokenPeriod | Refused {
  const oldest = new Date(now - undoDays * msPerDay).toISOString();
  const since = instantOf(params.get("since"), timeZone) ?? oldest;
  const to = params.get("to") ?? new Date(now).toISOString();
  const token_id = params.get("token_id") ?? "";
  // Actions without a token were done by the person on pages.
  if (token_id === "") return invalid({ token_id: ["The token_id field is required."] });
  const validated = validate(listActions, { token_id, from: since, to });
  return isRefused(validated) ? validated : { token_id, to, from: since > oldest ? since : oldest };
}

const wallTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?)?$/;

/** An address has an instant, a form field the person's local time. */
function instantOf(text: string | null, timeZone: string): string | undefined {
  if (!text) return undefined;
  if (!wallTime.test(text)) return text;
  try {
    return new Date(resolveLocalTime(text, timeZone)).toISOString();
  } catch {
    return text;
  }
}

/**
 * POST /account/actions/run: begins to undo the actions of a token, and on request revokes it first. Workers finish
 * the undo. Undone actions are not undone twice, so repeating the form does no harm.
 */
export async function undoAll(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const { context, session, query } = visit;
  const { timeZone } = await readDaySettings(query);
  const period = periodIn(form, { now: query.now, timeZone });
  if (isRefused(period)) return period;
  const { token_id, from, to } = period;
  const revokes = form.get("revoke") === "yes";
  if (revokes && !canRevoke(visit, token_id)) return notHere;
  if (revokes) await context.endToken?.({ userId: session.sub, tokenId: token_id });
  const outcome = await submit(visit, "action.undo-run", { token_id, from, to });
  if (isRefused(outcome)) return outcome;
  const { work_id: work } = outcome.body as OutputOf<Commands["action.undo-run"]>;
  const revoked = revokes
    ? csrfToken(visit.site.formKeys, holderOf(visit, token_id))
    : revokedMarkIn(visit, form, token_id);
  const params = new URLSearchParams({ token_id, since: from, to, work, ...(revoked && { revoked }) });
  return seeOther(`${runPath}?${params}`);
}

const notHere = invalid({ token_id: ["This token is revoked at the identity provider that issued it."] });

/** True if the built-in provider keeps the tokens and can have issued this one. */
export const canRevoke = ({ context }: Visit, tokenId: string): boolean =>
  context.endToken !== undefined && isConnectionId(tokenId);

const holderOf = ({ holder }: Visit, tokenId: string): string => `${holder}.revoked.${tokenId}`;

/**
 * Only the session that revoked a token can mark an address with it, so nobody can make a link that claims a
 * revocation.
 * @returns the mark of an address or form, if it is genuine
 */
export function revokedMarkIn(visit: Visit, params: URLSearchParams, tokenId: string): string | undefined {
  const mark = params.get("revoked") ?? "";
  return csrfHolds(visit.site.formKeys, holderOf(visit, tokenId), mark) ? mark : undefined;
}
