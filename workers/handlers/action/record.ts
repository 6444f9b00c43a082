import type { Handler } from "../handler.ts";
import { writeAction } from "./action-log.ts";

/** The row's key is the call's own id, so that a redelivered command writes nothing twice. */
export const actionRecord: Handler<"action.record"> = {
  idempotent: true,
  run(context, { call, outcome, message }) {
    writeAction(context, call, { outcome, message, replayed: false });
    return null;
  },
};
