import { maxUndone } from "../../../shared/contracts/action.ts";
import { invalid, isRefused, type Refused } from "../../../shared/errors.ts";
import { message } from "../../../shared/web/page.ts";
import { seeOther } from "../../../shared/web/redirect.ts";
import { readDaySettings } from "../../queries/context.ts";
import type { Visit } from "../visit/context.ts";
import { refusalPage } from "../visit/refusal-page.ts";
import { submitUndo } from "../visit/submit-undo.ts";
import { runPath } from "./paths.ts";
import { canRevoke, revokedMark, revokedMarkIn } from "./revoking.ts";
import { nextStep, paramsOf, type RunSelection, selectionOf } from "./run-selection.ts";

/** For this long (ms) one request takes back; then the person is told how far it came. */
const longest = 5_000;

/**
 * POST /account/actions/run: takes back what a token did, the newest first, and on request revokes the token before.
 * What was taken back is not taken back again, so repeating the form or going on from any page does no harm.
 */
export async function takeRunBack(visit: Visit, form: URLSearchParams): Promise<Response> {
  const query = visit.context.query({ userId: visit.session.sub });
  const { timeZone } = await readDaySettings(query);
  const selection = selectionOf(form, { now: query.now, timeZone });
  if (isRefused(selection)) return refusalPage(visit.context, selection.refusal);
  const { token_id } = selection;
  const revokes = form.get("revoke") === "yes";
  if (revokes && !canRevoke(visit, token_id)) return refusalPage(visit.context, notHere.refusal);
  if (revokes && !(await revoke(visit, token_id))) return notRevoked(visit);
  const reached = await takeBackFrom(visit, selection);
  if (isRefused(reached)) return refusalPage(visit.context, reached.refusal);
  const revoked = revokes ? revokedMark(visit, token_id) : revokedMarkIn(visit, form, token_id);
  const params = new URLSearchParams({ ...paramsOf(reached), ...(revoked && { revoked }) });
  return seeOther(`${runPath}?${params}`);
}

async function revoke({ context, session }: Visit, tokenId: string): Promise<boolean> {
  return (await context.revokeToken?.({ userId: session.sub, tokenId })) ?? false;
}

const notHere = invalid({ token_id: ["This token is revoked at the identity provider that issued it."] });

function notRevoked({ context }: Visit): Response {
  const text = "The token could not be revoked just now, so this took nothing back. Go back and try again.";
  return message(context.site, "That did not work", text, { status: 503, headers: { "Retry-After": "5" } });
}

/** @returns how far it came in the time of a request; the refusal where it did not begin */
async function takeBackFrom(visit: Visit, selection: RunSelection): Promise<RunSelection | Refused> {
  const query = visit.context.query({ userId: visit.session.sub });
  const end = Date.now() + longest;
  let reached = selection;
  let size: number = maxUndone;
  while (Date.now() < end) {
    const step = await query.inTurn((own) => nextStep(own, reached, size), false);
    if (isRefused(step)) return reached === selection ? step : reached;
    const { actions, next, isLast } = step;
    const ends = actions.length > 0 ? await submitUndo(visit, actions) : undefined;
    if (ends && isRefused(ends)) {
      // Habits with the completions of years can be too much for one command.
      if (ends.refusal.code === "overloaded" && actions.length > 1) {
        size = Math.ceil(actions.length / 4);
        continue;
      }
      // What came before is done, and its page offers to go on.
      return reached === selection ? ends : reached;
    }
    reached = next;
    if (isLast) break;
  }
  return reached;
}
