/** Facts of an event. They hold no secret and no content of habits or todos. */
export type Details = Readonly<Record<string, string | number | boolean>>;

/** The facts that every event may have beside its own. */
export type Origin = Readonly<{
  browser?: string;
  network?: string;
  /** The token that a change came by; a person on the pages has none. */
  client?: string;
}>;

/** The thing that the link in a message ends. */
export type Endable = "token" | "session" | "passkey" | "password";

type Message = Readonly<{
  subject: string;
  /** The link of the message ends this, if it was not the person. */
  ends: Endable;
}>;

/** A kind of event, in the words of each of its readers. */
export type EventKind<Own extends Details = Details> = Readonly<{
  /** A sentence for the person. */
  says(own: Own): string;
  /** The name for operators, from OWASP's logging vocabulary where it has one. */
  logs: string;
  /** The message to the person; null when there is none. */
  told: Message | null;
  /** The rows of an account in a period; the rest is counted in one row when the period has ended. */
  most: number;
  period: "hour" | "day" | "year";
}>;

/** Enough for everything that a person does in a day. */
const usual = { most: 20, period: "day" } as const;

export const kind = <Own extends Details = Readonly<Record<never, never>>>(
  declared: Omit<EventKind<Own>, "most" | "period"> & Partial<Pick<EventKind<Own>, "most" | "period">>,
): EventKind<Own> => ({ ...usual, ...declared });
