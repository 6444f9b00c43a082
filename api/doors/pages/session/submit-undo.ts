import type { Commands, OutputOf } from "../../../../shared/contracts/catalogue.ts";
import { isRefused, type Refused } from "../../../../shared/errors.ts";
import type { ActionKey } from "../../../queries/action/runs.ts";
import type { Visit } from "./context.ts";
import { submitLogged } from "./submit.ts";

type Ends = OutputOf<Commands["action.undo"]>;

/** Undoes actions of the signed-in person's log, or previews that. */
export async function submitUndo(
  visit: Pick<Visit, "context" | "session" | "request">,
  actions: readonly ActionKey[],
  { preview = false } = {},
): Promise<Ends | Refused> {
  const keys = actions.map(({ called_at, request_id }) => ({ called_at, request_id }));
  const { outcome } = await submitLogged(visit, "action.undo", { actions: keys }, { preview });
  return isRefused(outcome) ? outcome : (outcome.body as Ends);
}
