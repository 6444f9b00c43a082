type Named<Fields> = { [Key in keyof Fields]: Exclude<Fields[Key], undefined> };

/** Keeps the fields that a request names: those that it leaves out keep their value. */
export function patch<Fields extends object>(fields: Fields): Named<Fields> {
  const named = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(named) as Named<Fields>;
}
