/** Makes room for one more entry. A Map and a Set iterate in the order of insertion, so the first key is the oldest. */
export function keepNewest<Entries extends Map<string, unknown> | Set<string>>(
  entries: Entries,
  most: number,
): Entries {
  const [oldest] = entries.keys();
  if (oldest !== undefined && entries.size >= most) entries.delete(oldest);
  return entries;
}
