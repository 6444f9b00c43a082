import { changeSettings } from "../../shared/contracts/user/contracts.ts";
import { own, selectFrom, statement } from "../../shared/db/reads/statement.ts";
import { timestamp } from "../../shared/domain/day/day.ts";
import { isRefused } from "../../shared/errors.ts";
import { validate } from "../http/input.ts";
import type { Actor } from "../mailbox/actor.ts";
import type { Dispatch } from "../mailbox/dispatch.ts";
import type { QueryContext } from "../queries/engine/context.ts";

type ClaimZone = (actor: Pick<Actor, "userId" | "zone">) => Promise<void>;

/** The zone of a token could not be taken over now, although it would change the user's day. */
export class ZoneNotClaimed extends Error {}

type Dependencies = Readonly<{
  query(actor: Pick<Actor, "userId">): QueryContext;
  dispatch: Dispatch;
}>;

const zoneOfUser = statement({}, () =>
  selectFrom(own("users").as("u")).select(["u.time_zone", "u.zone_source", "u.zone_claimed_at"]),
);

/**
 * Takes over the `zoneinfo` claim of the newest-issued token, in a command of its own before the token's first
 * request is answered, so that no two tokens see different days. A zone that the user chose stays. When the claim
 * would change the day but cannot be taken over, the request fails (503) instead of being answered for another day.
 */
export function createZoneClaim({ query, dispatch }: Dependencies): ClaimZone {
  return async ({ userId, zone }) => {
    if (!zone || isRefused(validate(changeSettings, { time_zone: zone.name }))) return;
    const issuedAt = timestamp(new Date(zone.issuedAt * 1000).toISOString());
    const { rows, defaultTimeZone } = query({ userId });
    const [user] = await rows(zoneOfUser({}));
    if (user?.zone_source === "chosen") return;
    if (user?.zone_claimed_at && timestamp(user.zone_claimed_at) >= issuedAt) return;
    const { outcome } = await dispatch(
      { userId },
      { name: "user.claim-zone", input: { time_zone: zone.name, issued_at: issuedAt } },
    );
    const present = user?.time_zone ?? defaultTimeZone;
    if ("refusal" in outcome && zone.name !== present)
      throw new ZoneNotClaimed(`the token's zone was not taken over: ${outcome.refusal.message}`);
  };
}
