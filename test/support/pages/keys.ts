import { loadPagesKeys, type PagesKeys } from "../../../api/doors/pages/session/keys.ts";
import type { Config } from "../../../shared/process/config.ts";
import { withPool } from "../signed.ts";

/** The keys of the account pages' cookies and forms of a database. */
export const pagesKeysOf = (config: Pick<Config, "databaseUrl">): Promise<PagesKeys> =>
  withPool(config, loadPagesKeys);
