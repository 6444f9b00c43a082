import { access } from "./access.ts";
import { data } from "./data.ts";
import type { Details, EventKind, Origin } from "./event.ts";
import { gettingIn } from "./getting-in.ts";

/**
 * Every event of an account that its journal tells. Page, export, messages, security log, metric and documents follow
 * from this list.
 */
export const events = { ...gettingIn, ...access, ...data } as const;

export type EventName = keyof typeof events;
export type DetailsOf<Name extends EventName> =
  (typeof events)[Name] extends EventKind<infer Own> ? Own & Origin : never;

/** One event of an account. */
export type AccountEvent = {
  [Name in EventName]: Readonly<{
    kind: Name;
    details: DetailsOf<Name>;
    /** Events of different subjects are counted apart. */
    subject?: string;
    times?: number;
  }>;
}[EventName];

const isEventName = (name: string): name is EventName => name in events;

/** The sentence about a stored event; a kind of a later release has only its name. */
export function sayEvent(name: string, details: Details): string {
  return isEventName(name) ? events[name].says(details as never) : name;
}

/** The browser, network or token of an event, and its number if it was counted, as a sentence each. */
export function sayOrigin({ browser, network, client, times, until }: Details): string {
  const said = [
    browser === undefined ? undefined : `In ${browser}.`,
    network === undefined ? undefined : `From the network ${network}.`,
    client === undefined ? undefined : `By “${client}”.`,
    times === undefined ? undefined : `Counted ${times} times, until ${until}.`,
  ];
  return said.filter(Boolean).join(" ");
}
