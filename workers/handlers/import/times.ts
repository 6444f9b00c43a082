import type { HandlerContext } from "../handler.ts";

type Clock = Pick<HandlerContext, "now" | "nowMs">;
type Times = Readonly<{ created_at: string | null; updated_at: string | null }>;

/** Times of creation and last change in the file; times in the future become the present. */
export function timesOf(context: Clock, { created_at, updated_at }: Times) {
  const made = notInFuture(context, created_at);
  return { created_at: made, updated_at: updated_at === null ? made : notInFuture(context, updated_at) };
}

/** @returns the time in the file; the present if it is missing, in the future or before all computers */
export function notInFuture({ now, nowMs }: Clock, time: string | null): string {
  const ms = Date.parse(time ?? "");
  return time !== null && ms >= 0 && ms <= nowMs ? time : now;
}
