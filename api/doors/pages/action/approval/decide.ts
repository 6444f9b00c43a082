import { isRefused } from "../../../../../shared/errors.ts";
import { readStates } from "../../../../queries/approval/waiting.ts";
import { safeNext, seeOther } from "../../../../web/redirect.ts";
import type { PageAnswer, Visit } from "../../session/context.ts";
import { submit } from "../../session/submit.ts";
import { decidedParameter } from "./decided.ts";

/** POST /account/approvals: approves or declines requests, and returns to the page of the form. */
export async function decide(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const { site, query } = visit;
  const [verb = "", which = ""] = (form.get("act") ?? "").split(" ");
  const all = { chosen: form.getAll("approval_id"), all: form.getAll("shown") };
  const approval_ids = which in all ? all[which as keyof typeof all] : [which];
  const next = new URL(safeNext(site, form.get("from")), site.origin);
  if (approval_ids.length > 0) {
    const outcome = await submit(visit, "approval.decide", { approval_ids, approve: verb === "approve" });
    if (isRefused(outcome)) return outcome;
    const states = await query.inTurn((own) => readStates(own, approval_ids));
    if (isRefused(states)) return states;
    next.searchParams.set(
      decidedParameter,
      [...new Set(states)].map((state) => `${state}-${countOf(states, state)}`).join("_"),
    );
  }
  return seeOther(`${next.pathname}${next.search}`);
}

const countOf = (states: readonly string[], state: string): number =>
  states.filter((one) => one === state).length;
