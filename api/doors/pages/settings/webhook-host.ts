import { Resolver } from "node:dns/promises";
import { isAllowedAddress } from "../../../../shared/domain/public-address.ts";

type Resolve = (name: string) => Promise<readonly string[]>;

const patienceMs = 1_000;

/**
 * Whether a name has an address that reminders are not sent to. A name that cannot be resolved now passes: every address
 * is checked again when a reminder is sent.
 */
export async function resolvesToPrivate(
  hostname: string,
  allowLoopback: boolean,
  resolve: Resolve = addressesOf,
): Promise<boolean> {
  const addresses = await Promise.race([resolve(hostname), Bun.sleep(patienceMs).then(() => [])]).catch(
    () => [],
  );
  return addresses.some((address) => !isAllowedAddress(address, allowLoopback));
}

/** Not by the system's own look-ups, of which a process has few at a time: a slow name would keep others waiting. */
async function addressesOf(name: string): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: patienceMs, tries: 1 });
  const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return found.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
}
