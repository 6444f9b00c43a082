import type { Commands, OutputOf } from "../../../../../shared/contracts/catalogue.ts";
import { invalid, isRefused } from "../../../../../shared/errors.ts";
import { readDaySettings } from "../../../../queries/engine/context.ts";
import { message } from "../../../../web/page.ts";
import { seeOther } from "../../../../web/redirect.ts";
import type { Visit } from "../../session/context.ts";
import { refusalPage } from "../../session/refusal-page.ts";
import { submit } from "../../session/submit.ts";
import { runPath } from "../paths.ts";
import { canRevoke, revokedMark, revokedMarkIn } from "./revoking.ts";
import { paramsOf, selectionOf } from "./run-selection.ts";

/**
 * POST /account/actions/run: begins to take back what a token did, and on request revokes the token before. Workers carry
 * it on to its end. What was taken back is not taken back again, so repeating the form does no harm.
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
  const { from, to } = selection;
  const outcome = await submit(visit, "action.undo-run", { token_id, from, to });
  if (isRefused(outcome)) return refusalPage(visit.context, outcome.refusal);
  const { work_id: work } = outcome.body as OutputOf<Commands["action.undo-run"]>;
  const revoked = revokes ? revokedMark(visit, token_id) : revokedMarkIn(visit, form, token_id);
  const params = new URLSearchParams({ ...paramsOf(selection), work, ...(revoked && { revoked }) });
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
