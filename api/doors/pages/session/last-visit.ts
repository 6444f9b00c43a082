import type { LoggedAction } from "../../../../shared/contracts/action/contracts.ts";
import { msPerDay } from "../../../../shared/domain/day/day.ts";
import type { Visit } from "./context.ts";
import { type SealedCookie, sealedCookie } from "./sealed-cookie.ts";

/** The part of the list that this browser has shown, and the user who saw it. */
type Seen = {
  sub: string;
  /** The newest action seen in the visit before this one, and in this one. */
  before: string;
  newest: string;
  /** The time when the list was last shown (epoch ms). */
  shownAt: number;
};

/** Browsers keep a cookie for this long at most. */
const lifetimeSeconds = (400 * msPerDay) / 1_000;
/** A return within this time belongs to the same visit. */
const visitMs = 30 * 60_000;

const seenCookie = ({ config, keys }: Visit["context"]): SealedCookie<Seen> =>
  sealedCookie({
    name: "kept_seen",
    key: keys.seen,
    lifetimeSeconds,
    secure: config.baseUrl.startsWith("https:"),
  });

type LastVisit = Readonly<{
  /** The newest action seen before; undefined on a first visit. */
  before: string | undefined;
  /** The newest action seen so far, in this visit or before; empty if there was none. */
  newest: string | undefined;
  /** True if an action came after the last visit and was not done by the person. */
  isNew(row: Pick<LoggedAction, "called_at" | "door">): boolean;
  /** The cookie for the next visit, set when the top of the list was shown. */
  remember(newest: Pick<LoggedAction, "called_at"> | undefined): Promise<string>;
}>;

/** Reads the last visit of this browser. On a first visit no action is new. */
export async function findLastVisit(
  { context, request, session: { sub } }: Visit,
  now: number,
): Promise<LastVisit> {
  const cookie = seenCookie(context);
  const found = await cookie.open(request);
  const seen = found?.sub === sub ? found : undefined;
  const before = seen && now - seen.shownAt < visitMs ? seen.before : seen?.newest;
  return {
    before,
    newest: seen?.newest,
    isNew: ({ called_at, door }) => before !== undefined && door !== "page" && called_at > before,
    remember(row) {
      const newest = [seen?.newest ?? "", row?.called_at ?? ""].toSorted()[1] ?? "";
      return cookie.seal({ sub, before: before ?? newest, newest, shownAt: now });
    },
  };
}
