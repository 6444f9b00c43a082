import { isRefused } from "../../../../../shared/errors.ts";
import { safeNext, seeOther } from "../../../../web/redirect.ts";
import type { Visit } from "../../session/context.ts";
import { doneAddress, undoneParameter } from "../../session/go-on.ts";
import { refusalPage } from "../../session/refusal-page.ts";
import { submitUndo } from "../../session/submit-undo.ts";
import { actionsPath } from "../paths.ts";

/** POST /account/actions/undo: takes one action back as far as possible, and goes on where the person was. */
export async function undoAction(visit: Visit, form: URLSearchParams): Promise<Response> {
  const key = { called_at: form.get("called_at") ?? "", request_id: form.get("request_id") ?? "" };
  const outcome = await submitUndo(visit, [key]);
  if (isRefused(outcome)) return refusalPage(visit.context, outcome.refusal);
  const back = new URL(
    safeNext({ ...visit.site, afterSignIn: actionsPath }, form.get("from")),
    visit.site.origin,
  );
  if (back.pathname !== actionsPath)
    return seeOther(doneAddress(visit, back.pathname + back.search, key, undoneParameter));
  back.searchParams.set("note", `${key.called_at}_${key.request_id}`);
  return seeOther(`${back.pathname}${back.search}#action-${key.request_id}`);
}
