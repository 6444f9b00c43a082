import { Resolver } from "node:dns/promises";
import { isAllowedAddress } from "../../../../shared/domain/public-address.ts";

type Resolve = (name: string) => Promise<readonly string[]>;

const patienceMs = 1_000;

/**
 * True if a name resolves to an address that reminders must not be sent to. An unresolvable name passes, because each
 * address is checked again when a reminder is sent.
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

/** The system's own look-ups are few at a time in a process, so a slow name would delay others. */
async function addressesOf(name: string): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: patienceMs, tries: 1 });
  const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return found.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
}
