import type { Actor } from "../../../shared/actor.ts";
import type { Config } from "../../../shared/process/config.ts";
import type { Log } from "../../../shared/process/log.ts";
import type { FormRequest, PageRequest, Site } from "../../../shared/web/site.ts";
import type { PerformContext } from "../../perform.ts";
import type { PagesKeys } from "./keys.ts";
import type { FindProvider } from "./relying-party.ts";
import type { Session } from "./session.ts";

/** What all account pages share; made once at the start. */
export type PagesContext = PerformContext &
  Readonly<{
    config: Config;
    log: Log;
    keys: PagesKeys;
    site: Site;
    findProvider: FindProvider;
    /** Stores the time zone that a sign-in brings, as is done with the one in a token. */
    adoptZone(actor: Pick<Actor, "userId" | "zone">): Promise<void>;
  }>;

/** One request, whether or not somebody is signed in. */
export type Guest = PageRequest & Readonly<{ context: PagesContext }>;

/** One request of a signed-in person. */
export type Visit = Guest & FormRequest & Readonly<{ session: Session }>;
