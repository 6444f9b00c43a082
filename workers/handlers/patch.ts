type Named<Fields> = { [Key in keyof Fields]: Exclude<Fields[Key], undefined> };

/** Picks the fields that a request names; the others keep their values. */
export function patch<Fields extends object>(fields: Fields): Named<Fields> {
  const named = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(named) as Named<Fields>;
}
