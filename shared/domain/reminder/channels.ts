/** The user's own address for a channel. */
type Target<Column extends string = string> = Readonly<{
  /** A column of users, which is also a field of the settings. */
  column: Column;
  format: string;
  maxLength: number;
  /** Completes "The … field must be …". */
  expects: string;
  /** The card for typing it; absent if the identity provider knows the address. */
  card?: Readonly<{ title: string; label: string; hint: string }>;
}>;

/** A way for reminders, with its texts. Its sender is in workers/reminder/channels/. */
type Channel<Column extends string = string> = Readonly<{
  /** The label of the choice, and a hint if the target has none. */
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

/** A value for the target of each channel, by column. */
export const perTarget = <Value>(make: (target: Target<TargetColumn>) => Value) =>
  Object.fromEntries(
    Object.values(channels).flatMap(({ target }) => (target ? [[target.column, make(target)]] : [])),
  ) as Record<TargetColumn, Value>;
