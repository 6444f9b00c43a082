import type { Handler } from "../handler.ts";
import { recordCall } from "./action-log.ts";

/** The row's key is the call's own id, so that a redelivery writes nothing twice. */
export const record: Handler<"action.record"> = {
  repeatable: true,
  run(context, { call, outcome }) {
    recordCall(context, call, { outcome, replayed: false });
    return null;
  },
};

/** Several front doors add to one row; the inbox sees to it that each number is added once. */
export const count: Handler<"action.count"> = {
  run(context, { call, calls }) {
    const before = context.actions.get(call.requestId)?.calls ?? 0;
    const end = { outcome: "rate_limited", replayed: false, calls: before + calls, durationMs: 0 };
    recordCall(context, call, end);
    return null;
  },
};
