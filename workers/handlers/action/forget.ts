import { conflict } from "../../../shared/errors.ts";
import { forUpdate } from "../../unit-of-work/row-request.ts";
import type { Handler } from "../handler.ts";
import { forgetTraces } from "./forget-traces.ts";

const tables = { category: "categories", habit: "habits", todo: "todos" } as const;

/**
 * Forgets a deleted thing. What is stored of it is overwritten after the transaction, in steps, because a log can be long;
 * repeating it changes nothing.
 */
export const actionForget: Handler<"action.forget"> = {
  idempotent: true,
  rows: ({ kind, id }) => [forUpdate(tables[kind], id)],
  run(context, { kind, id }) {
    if (context[tables[kind]].get(id)) return conflict(`This ${kind} is there.`, "Delete it first.");
    return null;
  },
  followUp: forgetTraces,
};
