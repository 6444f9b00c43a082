/** The fields that a request names: what it leaves out keeps its value. */
export function patch<Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]: Exclude<Fields[Key], undefined> } {
  const named = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(named) as { [Key in keyof Fields]: Exclude<Fields[Key], undefined> };
}
