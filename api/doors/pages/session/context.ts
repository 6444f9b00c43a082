import type { Html } from "../../../../shared/html.ts";
import type { Config } from "../../../../shared/process/config.ts";
import type { Log } from "../../../../shared/process/observe/log.ts";
import type { RevokeToken } from "../../../auth/revocation.ts";
import type { RateLimit } from "../../../http/rate-limit.ts";
import type { Actor } from "../../../mailbox/actor.ts";
import type { PerformContext } from "../../../perform.ts";
import type { FormRequest, PageRequest, Site } from "../../../web/site.ts";
import type { LiveHub } from "../streams/hub.ts";
import type { PagesKeys } from "./keys.ts";
import type { FindProvider } from "./relying-party.ts";

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
    /** Undefined where tokens are revoked at another provider. */
    revokeToken: RevokeToken | undefined;
    /** Counts the forms that a person opens or sends. */
    formLimit: RateLimit;
    /** Counts the files that a person sends, by the hour. */
    uploadLimit: RateLimit;
    /** Tells open pages of changes. */
    live: Pick<LiveHub, "join">;
  }>;

/** Who is signed in. After 12 hours the provider is asked again, which it answers without asking the person. */
export type Session = {
  /** The user: the `sub` of the ID token. */
  sub: string;
  /** The id of this sign-in, to which form tokens are bound. */
  sid: string;
  /** The user's generation of sessions at this sign-in. */
  generation: number;
  email?: string;
  email_verified?: boolean;
  /** Shows the provider at sign-out who signs out, so that it does not ask the person. */
  id_token?: string;
  /** When it ends (epoch s), as the cookie says. */
  exp?: number;
};

/** One request, whether or not somebody is signed in. */
export type Guest = PageRequest & Readonly<{ context: PagesContext }>;

/** One request of a signed-in person. */
export type Visit = Guest &
  FormRequest &
  Readonly<{
    session: Session;
    /** What became of the last thing that the person did, where the address names it. */
    notice?: Html | undefined;
  }>;
