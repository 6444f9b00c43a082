import { isIP } from "node:net";
import type { Config } from "../../../shared/process/config.ts";

/** The site that passkeys belong to (Web Authentication §5.1.2): its id is the host, its pages have this origin. */
type PasskeySite = Readonly<{ id: string; origin: string }>;

/** @returns undefined where browsers make no passkeys: an address without TLS, or an IP address */
export function passkeySite({ authUrl }: Pick<Config, "authUrl">): PasskeySite | undefined {
  const { protocol, hostname, origin } = new URL(authUrl);
  if (hostname.startsWith("[") || isIP(hostname) !== 0) return undefined;
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
  return protocol === "https:" || isLocal ? { id: hostname, origin } : undefined;
}
