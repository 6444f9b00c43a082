/** A call's arguments as sent: they are unchecked. */
export type SentArguments = Readonly<Record<string, unknown>>;

/** Hosts in strict mode send every argument, with one of these values for an absent one. */
const isEmpty = (value: unknown): boolean =>
  value === null ||
  (typeof value === "string" && value.trim() === "") ||
  (Array.isArray(value) && value.length === 0);

/** @returns the arguments without absent ones */
export const givenIn = (args: SentArguments): Record<string, unknown> =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => !isEmpty(value)));

/** @returns undefined for an absent argument, also if every object has a property of that name */
export const argument = (args: SentArguments, name: string): unknown =>
  Object.hasOwn(args, name) && !isEmpty(args[name]) ? args[name] : undefined;
