import { recordCall } from "../action-log.ts";
import type { Handler } from "../handler.ts";

/** The row's key is the call's own id, so that a redelivery writes nothing twice. */
export const record: Handler<"action.record"> = {
  repeatable: true,
  run(context, { call, outcome }) {
    recordCall(context, call, { outcome, replayed: false });
    return null;
  },
};
