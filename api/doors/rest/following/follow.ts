import type { InputOf, OutputOf, Queries } from "../../../../shared/contracts/catalogue.ts";
import { isRefused, type Refused, refuse } from "../../../../shared/errors.ts";
import type { Authenticate } from "../../../auth/authenticate.ts";
import { clientOf } from "../../../http/request.ts";
import type { Actor } from "../../../mailbox/actor.ts";
import { checkScopes, type PerformContext } from "../../../perform.ts";
import { read } from "../../../queries/index.ts";
import type { LiveHub } from "../../streams/hub.ts";
import type { LiveStream } from "../../streams/watch-user.ts";

export type FollowContext = PerformContext & Readonly<{ authenticate: Authenticate; live: LiveHub }>;

/** A client's request to hear of changes. */
export type Following = Readonly<{ request: Request; actor: Actor }>;

export type ChangePage = OutputOf<Queries["change.stream"]>;

export async function readNews(
  { query }: FollowContext,
  { actor }: Following,
  input: InputOf<Queries["change.stream"]>,
): Promise<ChangePage | Refused> {
  return (await read("change.stream", query(actor), input)) as ChangePage | Refused;
}

/** Changes that no reader may see yet are asked for again after this time. */
const askAgainMs = 300;

type Follower = Readonly<{
  readNext(): Promise<ChangePage | Refused>;
  /** @returns false when it wants no more */
  take(page: ChangePage): Promise<boolean> | boolean;
  /** Called once, when the follower wants no more or may have no more. */
  end(): void;
}>;

/**
 * Reads pages whenever something may have changed, one at a time, until its token ends.
 * @returns a function to leave; undefined when there is no room
 */
export function follow(
  context: FollowContext,
  following: Following,
  follower: Follower,
  beat: () => void = () => {},
): (() => void) | undefined {
  const { request, actor } = following;
  let isAsked = false;
  let isReading = false;

  async function readOn(): Promise<void> {
    for (let isMore = true; isMore || isAsked; ) {
      isAsked = false;
      const page = (await isAllowed(context, request)) && (await follower.readNext());
      if (!page || (isRefused(page) && page.refusal.code === "invalid")) return follower.end();
      // Any other refusal passes, and the next beat reads again.
      if (isRefused(page)) return;
      if (page.data.length > 0 && !(await follower.take(page))) return follower.end();
      isMore = page.has_more;
      if (isMore && page.data.length === 0) await Bun.sleep(askAgainMs);
    }
  }

  const stream: LiveStream = {
    network: clientOf(request),
    tell(state) {
      isAsked = true;
      if (!state) return follower.end();
      if (isReading) return;
      isReading = true;
      // During an outage the client keeps its place.
      readOn()
        .catch(() => {})
        .finally(() => {
          isReading = false;
        });
    },
    beat,
    end: follower.end,
  };
  return context.live.join(actor.userId, stream);
}

/** False when the token has ended or lost its scopes. A provider that is away leaves it as it was. */
async function isAllowed({ authenticate }: FollowContext, { headers }: Request): Promise<boolean> {
  const caller = await authenticate(headers.get("authorization"));
  if (isRefused(caller)) return caller.refusal.code === "overloaded";
  return (
    checkScopes({ scopes: ["habits:read", "todos:read", "categories:read"] }, caller.actor) === undefined
  );
}

export const noRoom = refuse("rate_limited", "Too many clients wait for changes.", { retryAfterSeconds: 30 });
