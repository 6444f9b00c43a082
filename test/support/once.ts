const shared = globalThis as { keptOnce?: Map<string, Promise<unknown>> };
shared.keptOnce ??= new Map();
const started = shared.keptOnce;

/**
 * Starts a thing at its first use in this process; all files of the process share it until the process ends. A start
 * that failed is tried again by the next file.
 */
export function once<Thing>(name: string, start: () => Promise<Thing>): Promise<Thing> {
  const known = started.get(name) as Promise<Thing> | undefined;
  if (known) return known;
  const thing = start();
  started.set(name, thing);
  thing.catch(() => started.delete(name));
  return thing;
}
