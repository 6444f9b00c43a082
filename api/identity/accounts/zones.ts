import type { Pool } from "pg";
import { isTimeZone } from "../../../shared/domain/day/day.ts";
import type { Account } from "./accounts.ts";
import type { IdentityContext } from "./context.ts";

type ServiceZone = Readonly<{ zone: string; isChosen: boolean }>;

/** The zone that the service has for the person, if it knows them. */
async function serviceZone(pool: Pool, userId: string): Promise<ServiceZone | undefined> {
  const { rows } = await pool.query<ServiceZone>(
    `select time_zone as zone, zone_source = 'chosen' as "isChosen" from users where user_id = $1`,
    [userId],
  );
  return rows[0];
}

type Zoned = Pick<Account, "id" | "timeZone">;

/** The zone for times shown to the person: the one on the account pages, where it can be changed. */
export async function zoneOf(
  { pool, config }: Pick<IdentityContext, "pool" | "config">,
  { id, timeZone }: Zoned,
): Promise<string> {
  const known = await serviceZone(pool, id);
  return known?.zone ?? timeZone ?? config.defaultTimeZone;
}

/** The zone told to apps: the one chosen in the settings of Kept, else the one from the sign-up. */
export async function claimedZone(pool: Pool, { id, timeZone }: Zoned): Promise<string | null> {
  const known = await serviceZone(pool, id);
  return known?.isChosen ? known.zone : timeZone;
}

/** Stores the browser's zone for an account that has none, as the owner's at the first sign-in. */
export async function rememberBrowserZone(
  pool: Pool,
  { id, timeZone }: Zoned,
  zone: string | null,
): Promise<void> {
  if (timeZone !== null || zone === null || zone.length > maxZoneLength || !isTimeZone(zone)) return;
  await pool.query(`update identity.accounts set time_zone = $2 where id = $1 and time_zone is null`, [
    id,
    zone,
  ]);
}

/** The contract of the settings has the same limit. */
const maxZoneLength = 64;
