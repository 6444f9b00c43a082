import { isRefused, type Refused } from "../../../../shared/errors.ts";
import { idle } from "../../../http/request.ts";
import { type FollowContext, type Following, follow, noRoom, readNews } from "./follow.ts";

type Question = Readonly<{ cursor?: string; wait?: number }>;

/** Waits for a final change, or until the time is over. The wait holds no connection of the database. */
export async function waitForChange(
  context: FollowContext,
  following: Following,
  { wait = 0, ...from }: Question,
): Promise<Refused | undefined> {
  if (wait === 0) return undefined;
  const readNext = () => readNews(context, following, from);
  const first = await readNext();
  if (isRefused(first) || first.data.length > 0) return undefined;
  const { promise, resolve: end } = Promise.withResolvers<void>();
  const leave = follow(context, following, { readNext, take: () => false, end });
  if (!leave) return noRoom;
  const timer = setTimeout(end, wait * 1_000);
  following.request.signal.addEventListener("abort", () => end());
  await idle(following.request, promise);
  clearTimeout(timer);
  leave();
  const caller = await context.authenticate(following.request.headers.get("authorization"));
  return isRefused(caller) ? caller : undefined;
}
