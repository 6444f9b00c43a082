import type { Configuration } from "openid-client";
import type { Scope } from "../../../../shared/contracts/kernel/scopes.ts";
import type { ReminderSecrets } from "../../../../shared/db/shared-secrets.ts";
import type { Refused } from "../../../../shared/errors.ts";
import type { Html } from "../../../../shared/html.ts";
import type { Config } from "../../../../shared/process/config.ts";
import type { Log } from "../../../../shared/process/observe/log.ts";
import type { TokenKey } from "../../../auth/authenticate.ts";
import type { RateLimit } from "../../../http/rate-limit.ts";
import type { Actor } from "../../../mailbox/actor.ts";
import type { PerformContext } from "../../../perform.ts";
import type { QueryContext } from "../../../queries/engine/context.ts";
import type { FormRequest, PageRequest, Site } from "../../../web/site.ts";
import type { LiveHub } from "../../streams/hub.ts";
import type { PagesKeys } from "./sealed-cookie.ts";

/** A token or an app that may act for a person, as the built-in provider has it; times are epoch milliseconds. */
export type Access = Readonly<{
  id: string;
  isPersonal: boolean;
  name: string;
  scopes: readonly Scope[];
  createdAt: number;
  lastUsedAt: number | null;
}>;

/** The parts shared by all account pages; made once at the start. */
export type PagesContext = PerformContext &
  Readonly<{
    config: Config;
    log: Log;
    keys: PagesKeys;
    /** The keys of links in reminders, which workers have as well. */
    secrets: ReminderSecrets;
    site: Site;
    findSession: FindSession;
    /** Finds the other provider that signs people in; undefined if the built-in one does. */
    findProvider: (() => Promise<Configuration>) | undefined;
    /** Stores the time zone of a sign-in, as doors do with the zone in a token. */
    claimZone(actor: Pick<Actor, "userId" | "zone">): Promise<void>;
    /** The tokens and apps of a person; undefined if another provider has them. */
    findAccess: ((userId: string) => Promise<readonly Access[]>) | undefined;
    /** Ends a token or an app; undefined if another provider does. */
    endToken: ((key: TokenKey) => Promise<void>) | undefined;
    /** Counts the forms that a person opens or sends. */
    formLimit: RateLimit;
    /** Counts the uploads of a person in an hour. */
    uploadLimit: RateLimit;
    /** Tells open pages of changes. */
    live: Pick<LiveHub, "join">;
  }>;

/** The signed-in person. After 12 hours the provider is asked again, and answers without asking the person. */
export type Session = {
  /** The user: the `sub` of the ID token. */
  sub: string;
  /** The id of the session, to which form tokens are bound. */
  sid: string;
  /** The user's generation of sessions at this sign-in. */
  generation: number;
  email?: string;
  email_verified?: boolean;
  /** Proves at sign-out who signs out, so that the provider does not ask the person. */
  id_token?: string;
  /** The time (epoch s) at which the person last proved to the provider who they are. */
  proven_at?: number;
  /** The end of the session (epoch s), unless it is renewed. */
  exp?: number;
};

/** Finds the session of a visit; undefined if there is none, or if it ended. */
export type FindSession = (guest: Guest) => Promise<Session | undefined>;

/** Finds the session at the built-in provider, and the time zone that its account has there. */
export type FindOwnSession = (
  request: Guest["request"],
) => Promise<Readonly<{ session: Session; timeZone: string | null }> | undefined>;

/** The answer of a page; a refusal is shown as a page of its own. */
export type PageAnswer = Response | Refused;

/** One request, signed in or not. */
export type Guest = PageRequest & Readonly<{ context: PagesContext }>;

/** One request of a signed-in person. */
export type Visit = Guest &
  FormRequest &
  Readonly<{
    session: Session;
    /** The person's rows. */
    query: QueryContext;
    /** The result of the person's last action, if the address names one. */
    notice?: Html | undefined;
  }>;
