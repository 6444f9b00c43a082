import type { HandlerContext } from "../handler.ts";

type Clock = Pick<HandlerContext, "now" | "nowMs">;
type Times = Readonly<{ created_at: string | null; updated_at: string | null }>;

/** The times of creation and last change in the file; times ahead of the present become the present. */
export function timesOf(context: Clock, { created_at, updated_at }: Times) {
  const made = notInFuture(context, created_at);
  return { created_at: made, updated_at: updated_at === null ? made : notInFuture(context, updated_at) };
}

/** @returns the time of a file, or the present where it has none, one that is still to come or one before all computers */
export function notInFuture({ now, nowMs }: Clock, time: string | null): string {
  const ms = Date.parse(time ?? "");
  return time !== null && ms >= 0 && ms <= nowMs ? time : now;
}
