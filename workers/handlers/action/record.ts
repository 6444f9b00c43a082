import type { Handler } from "../handler.ts";
import { calledAt, writeAction } from "./action-log.ts";

/** The row's key is the call's own id, so that a redelivered command writes nothing twice. */
export const actionRecord: Handler<"action.record"> = {
  idempotent: true,
  run(context, { call, outcome, message }) {
    writeAction(context, call, { outcome, message, replayed: false });
    return null;
  },
};

/** Several front doors add to one row; the inbox ensures that each number is added once. */
export const actionCount: Handler<"action.count"> = {
  run(context, { call, calls }) {
    const before = context.actions.get(calledAt(context, call), call.requestId)?.calls ?? 0;
    const end = {
      outcome: "rate_limited",
      replayed: false,
      calls: before + calls,
      durationMs: 0,
      isRepeat: true,
    };
    writeAction(context, call, end);
    return null;
  },
};
