import type { Config } from "../../shared/process/config.ts";
import type { Log } from "../../shared/process/observe/log.ts";
import type { Service } from "./service.ts";

/** Connects to the service with the first news. What it takes is 20 MB, and news of accounts is rare. */
export function serviceOnDemand(config: Config, log: Log): Service {
  let connecting: Promise<Service> | undefined;
  const connected = () => {
    connecting ??= import("./service.ts").then(({ connectService }) => connectService(config, log));
    // A connection that failed is tried again with the next news.
    connecting.catch(() => {
      connecting = undefined;
    });
    return connecting;
  };
  return {
    tell: async (news) => (await connected()).tell(news),
    // A failed connection leaves nothing to close, and `tell` has thrown its error.
    close: async () => (await connecting?.catch(() => undefined))?.close(),
  };
}
