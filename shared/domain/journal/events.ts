/** Facts of an event. They hold no secret and no content of habits or todos. */
export type Details = Readonly<Record<string, string | number | boolean>>;

/** The facts that every event may have beside its own. */
export type Origin = Readonly<{
  browser?: string;
  network?: string;
  /** The token that a change came by; a person on the pages has none. */
  client?: string;
}>;

export type Endable = "token" | "session" | "passkey" | "password";

type Message = Readonly<{
  subject: string;
  /** The link of the message ends this, if it was not the person. */
  ends: Endable;
}>;

/** A kind of event, in the words of each of its readers. */
type EventKind<Own extends Details = Details> = Readonly<{
  says(own: Own): string;
  /** The name for operators, from OWASP's logging vocabulary where it has one. */
  logs: string;
  /** The message to the person; null when there is none. */
  told: Message | null;
  /** The rows of an account in a period; the rest is counted in one row when the period has ended. */
  most: number;
  period: "hour" | "day" | "year";
}>;

/** Most events send no message. The number is enough for everything that a person does in a day. */
const usual = { told: null, most: 20, period: "day" } as const;

const kind = <Own extends Details = Readonly<Record<never, never>>>(
  declared: Omit<EventKind<Own>, keyof typeof usual> & Partial<Pick<EventKind<Own>, keyof typeof usual>>,
): EventKind<Own> => ({ ...usual, ...declared });

type Named = { name: string };
type Way = { way: keyof typeof ways };
type SetPassword = { way: keyof typeof setPassword; endsAll: boolean };

const ways = {
  password: "with the password",
  passkey: "with a passkey",
  link: "with a one-time link of the operator",
  reset: "with a new password",
  "sign-up": "as a new account",
};
const setPassword = {
  profile: "on the account page",
  reset: "by a mailed link",
  link: "by a one-time link of the operator",
};

/** A message about a way that leads out, whose link lets the person end all of them. */
const toEndAll = (subject: string) => ({ subject, ends: "password" }) as const;

const toSession = { subject: "A new browser signed in to Kept", ends: "session" } as const;

/** Events of the account itself and of signing in. */
const gettingIn = {
  account_made: kind({ says: () => "The account was made.", logs: "user_created" }),
  account_deleted: kind({ says: () => "The account was deleted.", logs: "user_deleted" }),
  signed_in: kind<Way>({ says: ({ way }) => `Signed in ${ways[way]}.`, logs: "authn_login_success" }),
  signed_in_anew: kind<Way>({
    says: ({ way }) => `Signed in ${ways[way]}, in a browser that was not known.`,
    logs: "authn_login_success",
    told: toSession,
  }),
  sign_in_failed: kind<Way>({
    says: ({ way }) => `A sign-in ${ways[way]} failed.`,
    logs: "authn_login_fail",
    most: 1,
    period: "hour",
  }),
  signed_out: kind<{ of: string }>({ says: ({ of }) => `${of} was signed out.`, logs: "session_expired" }),
  reset_asked: kind({
    says: () => "A link for a new password was asked for.",
    logs: "authn_password_reset_asked",
  }),
  password_changed: kind<SetPassword>({
    says: ({ way, endsAll }) =>
      `The password of your account of Kept was changed ${setPassword[way]}. Other browsers were signed out${endsAll ? ", and all passkeys, tokens and apps and every other way out ended" : ""}.`,
    logs: "authn_password_change",
    told: { subject: "Your password for Kept was changed", ends: "password" },
  }),
  address_changed: kind({
    says: () => "The account has another e-mail address. Nothing more is sent to the one before.",
    logs: "user_updated",
    told: { subject: "Your e-mail address for Kept was changed", ends: "password" },
  }),
  address_restored: kind({
    says: () => "The e-mail address was set back by the link in a message.",
    logs: "user_updated",
  }),
  address_confirmed: kind({ says: () => "The e-mail address was confirmed.", logs: "user_updated" }),
  passkey_added: kind<Named>({
    says: ({ name }) =>
      `Your account of Kept has a new passkey, “${name}”, which signs in without the password.`,
    logs: "authn_passkey_added",
    told: { subject: "A passkey was added to your account of Kept", ends: "passkey" },
  }),
  passkey_removed: kind<Named>({
    says: ({ name }) => `The passkey “${name}” was removed.`,
    logs: "authn_passkey_removed",
    told: { subject: "A passkey was removed from your account of Kept", ends: "password" },
  }),
} as const;

/** Events of tokens and connected apps. */
const access = {
  token_made: kind<Named & { scopes: string; ends: string }>({
    says: ({ name, scopes, ends }) => `The token “${name}” was made, for ${scopes}, until ${ends}.`,
    logs: "authn_token_created",
    told: { subject: "A new token for Kept", ends: "token" },
  }),
  token_changed: kind<Named & { scopes: string }>({
    says: ({ name, scopes }) => `“${name}” was renamed or narrowed; it may do ${scopes}.`,
    logs: "privilege_permissions_changed",
  }),
  token_ruled: kind<{ token: string }>({
    says: ({ token }) => `The rules of the token ${token} were changed.`,
    logs: "privilege_permissions_changed",
  }),
  token_rotated: kind<Named>({
    says: ({ name }) => `The token “${name}” got a new secret.`,
    logs: "authn_token_created",
    told: { subject: "A token of yours for Kept has a new secret", ends: "token" },
  }),
  token_secrets_ended: kind<Named>({
    says: ({ name }) => `Earlier secrets of the token “${name}” were ended.`,
    logs: "authn_token_revoked",
  }),
  token_revoked: kind<Named>({
    says: ({ name }) => `The token “${name}” was revoked.`,
    logs: "authn_token_revoked",
  }),
  token_elsewhere: kind<Named>({
    says: ({ name }) => `“${name}” was used from a network that it did not use this year.`,
    logs: "authn_token_new_network",
    most: 1,
    period: "year",
  }),
  app_connected: kind<Named & { scopes: string }>({
    says: ({ name, scopes }) => `The app “${name}” was connected, for ${scopes}.`,
    logs: "authn_token_created",
    told: { subject: "A new app is connected to your account of Kept", ends: "token" },
  }),
  app_allowed: kind<Named & { scopes: string }>({
    says: ({ name, scopes }) => `The app “${name}” was connected again, for ${scopes}.`,
    logs: "authz_change",
  }),
  app_ended: kind<Named>({
    says: ({ name }) => `The app “${name}” was disconnected.`,
    logs: "authn_token_revoked",
  }),
  rest_reads: kind<Named>({
    says: ({ name }) => `“${name}” read over REST.`,
    logs: "sensitive_read",
    // One row for each token and day tells the number.
    most: 0,
  }),
} as const;

/** Events of settings and data, and of the ways that lead out. */
const data = {
  settings_changed: kind<{ fields: string }>({
    says: ({ fields }) => `Settings were saved: ${fields}.`,
    logs: "user_updated",
  }),
  channel_changed: kind<{ fields: string }>({
    says: ({ fields }) => `The ways in which reminders come were changed: ${fields}.`,
    logs: "user_updated",
  }),
  channel_added: kind<{ way: string }>({
    says: ({ way }) => `Reminders can come by another way: ${way}.`,
    logs: "sensitive_create",
    told: toEndAll("Reminders of Kept can come by another way"),
  }),
  feed_made: kind({
    says: () => "The calendar got a new secret address.",
    logs: "sensitive_create",
    told: toEndAll("Your calendar of Kept has a new address"),
  }),
  feed_ended: kind({ says: () => "The calendar’s address was ended.", logs: "sensitive_delete" }),
  webhook_made: kind<{ host: string }>({
    says: ({ host }) => `A webhook to ${host} was made.`,
    logs: "sensitive_create",
    told: toEndAll("A new webhook of Kept"),
  }),
  webhook_moved: kind<{ webhook: string; host: string }>({
    says: ({ webhook, host }) => `The webhook ${webhook} was changed, to post to ${host}.`,
    logs: "sensitive_create",
    told: toEndAll("A webhook of Kept has another address"),
  }),
  webhook_changed: kind<{ webhook: string }>({
    says: ({ webhook }) => `The webhook ${webhook} was changed.`,
    logs: "sensitive_update",
  }),
  webhook_deleted: kind<{ webhook: string }>({
    says: ({ webhook }) => `The webhook ${webhook} was deleted.`,
    logs: "sensitive_delete",
  }),
  exported: kind<{ what: string }>({
    says: ({ what }) => `A file was downloaded: ${what}.`,
    logs: "sensitive_read",
    told: toEndAll("A file with your data of Kept was downloaded"),
  }),
  imported: kind({ says: () => "A file was imported.", logs: "upload_complete" }),
  forgotten: kind<{ thing: string }>({
    says: ({ thing }) => `A deleted ${thing} was forgotten for good.`,
    logs: "sensitive_delete",
  }),
} as const;

/**
 * Every event of an account that its journal tells. Page, export, messages, security log, metric and documents follow
 * from this list.
 */
export const events = { ...gettingIn, ...access, ...data } as const;

export type EventName = keyof typeof events;
export type DetailsOf<Name extends EventName> =
  (typeof events)[Name] extends EventKind<infer Own> ? Own & Origin : never;

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
  const kind: EventKind | undefined = isEventName(name) ? events[name] : undefined;
  return kind ? kind.says(details) : name;
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
