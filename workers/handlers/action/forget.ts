import { tableOf } from "../../../shared/domain/vocabulary.ts";
import { conflict } from "../../../shared/errors.ts";
import { forUpdate } from "../../unit-of-work/row-request.ts";
import type { Handler } from "../handler.ts";
import { forgetTraces } from "./forget-traces.ts";

/**
 * Forgets a deleted thing. What is stored of it is overwritten after the transaction, in steps, because a log can be long;
 * repeating it changes nothing.
 */
export const actionForget: Handler<"action.forget"> = {
  idempotent: true,
  rows: ({ kind, id }) => [forUpdate(tableOf[kind], id)],
  run(context, { kind, id }) {
    if (context[tableOf[kind]].get(id)) return conflict(`This ${kind} is there.`, "Delete it first.");
    return null;
  },
  followUp: forgetTraces,
};
