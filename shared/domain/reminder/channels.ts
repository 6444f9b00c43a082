/** The user's own address for a channel. */
type Target<Column extends string = string> = Readonly<{
  /** A column of users, which is a field of the settings, too. */
  column: Column;
  format: string;
  maxLength: number;
  /** Completes "The … field must be …". */
  expects: string;
  /** The card in which people type it; absent for what the identity provider knows. */
  card?: Readonly<{ title: string; label: string; hint: string }>;
}>;

/** One way for reminders to go, as settings and texts have it. Its sender is in workers/reminder/channels/. */
type Channel<Column extends string = string> = Readonly<{
  /** What people choose, and a hint if the target says nothing. */
  choice: string;
  hint?: string;
  /** Completes "Sent …" and "reminders …". */
  way: string;
  /** A channel without one reaches nobody. */
  target?: Target<Column>;
}>;

const declared = {
  email: {
    choice: "By e-mail",
    way: "by e-mail",
    target: { column: "email", format: "email", maxLength: 254, expects: "an e-mail address" },
  },
  webhook: {
    choice: "To your webhook",
    way: "to your webhook",
    target: {
      column: "webhook_url",
      format: "webhook-url",
      maxLength: 2_000,
      expects: "a public https address such as https://example.com/kept, without a user name",
      card: {
        title: "Webhook",
        label: "Address",
        hint: "Reminders are posted here as JSON, signed as Standard Webhooks says. Leave it empty to have none.",
      },
    },
  },
  log: {
    choice: "Nowhere",
    hint: "They are only noted in the log of this server.",
    way: "to the log of this server alone",
  },
} as const satisfies Record<string, Channel>;

type Declared = typeof declared;
export type ReminderChannel = keyof Declared;
export type ReachingChannel = {
  [Name in ReminderChannel]: Declared[Name] extends { target: object } ? Name : never;
}[ReminderChannel];
export type TargetColumn = Declared[ReachingChannel]["target"]["column"];

export const channels: Readonly<Record<ReminderChannel, Channel<TargetColumn>>> = declared;
export const reminderChannels = Object.keys(declared) as ReminderChannel[];

export const isReaching = (channel: ReminderChannel): channel is ReachingChannel =>
  channels[channel].target !== undefined;

/** Something for the target of each channel, by its column. */
export const perTarget = <Value>(make: (target: Target<TargetColumn>) => Value) =>
  Object.fromEntries(
    Object.values(channels).flatMap(({ target }) => (target ? [[target.column, make(target)]] : [])),
  ) as Record<TargetColumn, Value>;
