/**
 * Makes room for one more entry: where there are `most` already, the oldest goes, which a Map and a Set have first.
 * @returns the entries
 */
export function makeRoom<Entries extends Map<string, unknown> | Set<string>>(
  entries: Entries,
  most: number,
): Entries {
  const [oldest] = entries.keys();
  if (oldest !== undefined && entries.size >= most) entries.delete(oldest);
  return entries;
}
