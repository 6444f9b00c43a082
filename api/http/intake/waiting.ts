type Bounds<Item> = Readonly<{
  most: number;
  mostOfOne: number;
  whose(item: Item): string;
  putOut(item: Item): void;
}>;

/** Parts of requests that clients still have to send. */
export type Waiting<Item> = Readonly<{ add(item: Item): void; remove(item: Item): void }>;

/**
 * Bounds the waits for slow clients. When one client, or all together, wait for too much, the oldest wait ends:
 * honest requests arrive at once, so they always find room.
 */
export function createWaiting<Item>({ most, mostOfOne, whose, putOut }: Bounds<Item>): Waiting<Item> {
  /** Waits, oldest first, each with its client, because a closed socket has forgotten its address. */
  const clients = new Map<Item, string>();
  const itemsOf = new Map<string, Set<Item>>();

  function remove(item: Item): void {
    const client = clients.get(item);
    if (client === undefined) return;
    clients.delete(item);
    const own = itemsOf.get(client);
    own?.delete(item);
    if (own?.size === 0) itemsOf.delete(client);
  }

  function enter(item: Item): Set<Item> {
    const client = whose(item);
    const own = itemsOf.get(client) ?? new Set();
    clients.set(item, client);
    itemsOf.set(client, own.add(item));
    return own;
  }

  return {
    add(item) {
      remove(item);
      const own = enter(item);
      const [longest] = own.size > mostOfOne ? own : clients.size > most ? clients.keys() : [];
      if (longest === undefined) return;
      remove(longest);
      putOut(longest);
    },
    remove,
  };
}
