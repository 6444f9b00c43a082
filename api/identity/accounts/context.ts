import type { Provider } from "oidc-provider";
import type { Config } from "../../../shared/process/config.ts";
import type { Log } from "../../../shared/process/observe/log.ts";
import type { Resources } from "../grants.ts";
import type { Journaled } from "../journal.ts";
import type { IdentityKeys } from "./keys.ts";
import type { SendMail } from "./mail.ts";
import type { DeliverNews } from "./outbox.ts";
import type { Throttle } from "./throttle.ts";

/** Shared parts of the built-in identity provider; `startIdentity` makes them once. */
export type IdentityContext = Journaled &
  Readonly<{
    config: Config;
    log: Log;
    keys: IdentityKeys;
    resources: Resources;
    throttle: Throttle;
    /** Sends mail; undefined when SMTP_URL is not set. */
    sendMail: SendMail | undefined;
    /** Delivers news of accounts to the service: a sign-out, a new password or address, a deletion. */
    deliverNews: DeliverNews;
  }>;

export type ProviderContext = IdentityContext & Readonly<{ provider: Provider }>;
