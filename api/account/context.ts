import type { Config } from "../../shared/process/config.ts";
import type { Log } from "../../shared/process/log.ts";
import type { AdoptZone } from "../auth/adopt-zone.ts";
import type { PerformContext } from "../perform.ts";
import type { Keys } from "./keys.ts";
import type { FindProvider } from "./relying-party.ts";
import type { Session } from "./session.ts";

/** What the account pages are built from; made once at the start. */
export type PagesContext = PerformContext &
  Readonly<{
    config: Config;
    log: Log;
    keys: Keys;
    findProvider: FindProvider;
    /** Takes over the zone that a sign-in tells, as it is done with tokens. */
    adoptZone: AdoptZone;
  }>;

/** One request of a signed-in person. */
export type Visit = Readonly<{ account: PagesContext; request: Request; url: URL; session: Session }>;
