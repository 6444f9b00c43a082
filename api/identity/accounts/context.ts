import type { Provider } from "oidc-provider";
import type { Pool } from "pg";
import type { Config } from "../../../shared/process/config.ts";
import type { IdentityClient } from "../../../shared/process/identity-client.ts";
import type { Log } from "../../../shared/process/log.ts";
import type { Resources } from "../grants/resources.ts";
import type { IdentityKeys } from "./keys.ts";
import type { SendMail } from "./mail.ts";
import type { DeliverNews } from "./outbox.ts";
import type { Throttle } from "./throttle.ts";

/** What the parts of the built-in identity provider share; made once by `startIdentity`. */
export type IdentityContext = Readonly<{
  config: Config;
  log: Log;
  pool: Pool;
  keys: IdentityKeys;
  resources: Resources;
  /** The service's own client: front doors introspect with it, the account pages sign people in. */
  ownClient: IdentityClient;
  throttle: Throttle;
  provider: Provider;
  /** Undefined: this server is not set up to send mail. */
  sendMail: SendMail | undefined;
  /** Tells the service what changed of an account: a sign-out, a new password or address, its deletion. */
  deliverNews: DeliverNews;
}>;
