import type { Kysely } from "kysely";
import type { Actor } from "../../shared/actor.ts";
import { changeSettings } from "../../shared/contracts/user.ts";
import { validate } from "../../shared/contracts/validate.ts";
import { timestamp } from "../../shared/db/present.ts";
import { isRefused } from "../../shared/errors.ts";
import type { Dispatch } from "../../shared/queue/client/dispatch.ts";
import type { Tables } from "../queries/context.ts";

export type AdoptZone = (actor: Pick<Actor, "userId" | "zone">) => Promise<void>;

/** The zone of a token could not be taken over now, although it would change the user's day. */
export class ZoneNotAdopted extends Error {}

type Parts = Readonly<{ db: Kysely<Tables>; dispatch: Dispatch; defaultTimeZone: string }>;

/**
 * Takes over the `zoneinfo` claim of the newest-issued token, by a command of its own and before the token's
 * first request is answered: so no two tokens ever see two todays. A zone that the user chose stays. Where the claim
 * would change the day and cannot be taken over, the request fails (503), rather than be answered for another day.
 */
export function createZoneAdoption({ db, dispatch, defaultTimeZone }: Parts): AdoptZone {
  return async ({ userId, zone }) => {
    if (!zone || isRefused(validate(changeSettings, { time_zone: zone.name }))) return;
    const issuedAt = new Date(zone.issuedAt * 1000).toISOString();
    const user = await db
      .selectFrom("users")
      .select(["time_zone", "zone_source", "zone_claimed_at"])
      .where("user_id", "=", userId)
      .executeTakeFirst();
    if (user?.zone_source === "chosen") return;
    if (user?.zone_claimed_at && timestamp(user.zone_claimed_at) >= timestamp(issuedAt)) return;
    const { outcome } = await dispatch(
      { userId },
      { name: "user.adopt-zone", input: { time_zone: zone.name, issued_at: timestamp(issuedAt) } },
    );
    const present = user?.time_zone ?? defaultTimeZone;
    if ("refusal" in outcome && zone.name !== present)
      throw new ZoneNotAdopted(`the token's zone was not taken over: ${outcome.refusal.message}`);
  };
}
