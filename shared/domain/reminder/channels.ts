import { readReceiver } from "../outside-address.ts";

/** The formats of texts; that of e-mail is a common one. Pages and workers refuse this machine without a setting. */
export const targetFormats = {
  "webhook-url": (text: string) => readReceiver(text, true) !== undefined,
  "ntfy-url": (text: string) => /^\/[\w-]{1,64}$/.test(readReceiver(text, true)?.pathname ?? ""),
  "header-token": (text: string) => /^[\w.~+/=-]+$/.test(text),
  "telegram-chat": (text: string) => /^(-?\d{1,20}|@\w{4,32})$/.test(text),
  "telegram-token": (text: string) => /^\d{3,20}:[\w-]{20,80}$/.test(text),
};

/** A typed text of a channel: its address, or a text that goes with it. */
export type ChannelText<Column extends string = string> = Readonly<{
  /** A column of users, which is also a field of the settings. */
  column: Column;
  /** The label of its input; absent if the identity provider knows the text. */
  label?: string;
  hint?: string;
  format: keyof typeof targetFormats | "email";
  maxLength: number;
  /** Completes "The … field must be …". */
  expects: string;
  /** The channel works without it. */
  optional?: true;
  /** No page shows it again. */
  secret?: true;
}>;

/** A way for reminders, with its texts. Its sender is in workers/reminder/channels/. */
type Channel<Column extends string = string> = Readonly<{
  /** The label of the choice, and a hint if no text has one. */
  choice: string;
  hint?: string;
  /** Completes "Sent …" and "reminders …". */
  way: string;
  /** The address comes first. Browsers have their own addresses. A channel without targets reaches nobody. */
  targets?: readonly ChannelText<Column>[];
  /** The card for typing them. */
  card?: Readonly<{ title: string; hint: string }>;
}>;

const declared = {
  email: {
    choice: "By e-mail",
    way: "by e-mail",
    targets: [{ column: "email", format: "email", maxLength: 254, expects: "an e-mail address" }],
  },
  push: { choice: "To your browsers", way: "to your browsers", targets: [] },
  ntfy: {
    choice: "To your ntfy topic",
    way: "to your ntfy topic",
    targets: [
      {
        column: "ntfy_url",
        label: "Topic",
        hint: "For example https://ntfy.sh/ and a name that nobody guesses, or a topic of your own server.",
        format: "ntfy-url",
        maxLength: 500,
        expects: "a public https address of a topic such as https://ntfy.sh/a-name-of-yours",
      },
      {
        column: "ntfy_token",
        label: "Access token",
        hint: "Only for a protected topic.",
        format: "header-token",
        maxLength: 200,
        expects: "a token such as tk_…, without spaces",
        optional: true,
        secret: true,
      },
    ],
    card: { title: "ntfy", hint: "The app ntfy shows reminders on phones, with buttons." },
  },
  telegram: {
    choice: "By Telegram",
    way: "by Telegram",
    targets: [
      {
        column: "telegram_chat_id",
        label: "Chat id",
        hint: "Write to your bot first. The bot @userinfobot tells your id.",
        format: "telegram-chat",
        maxLength: 40,
        expects: "the number of a chat, or the @name of a channel",
      },
      {
        column: "telegram_bot_token",
        label: "Bot token",
        hint: "@BotFather gives it for a bot of your own.",
        format: "telegram-token",
        maxLength: 100,
        expects: "a token such as 123456:ABC-DEF…",
        secret: true,
      },
    ],
    card: { title: "Telegram", hint: "A bot of your own writes reminders to a chat, with buttons." },
  },
  webhook: {
    choice: "To your webhook",
    way: "to your webhook",
    targets: [
      {
        column: "webhook_url",
        label: "Address",
        format: "webhook-url",
        maxLength: 2_000,
        expects: "a public https address such as https://example.com/kept, without a user name",
      },
    ],
    card: {
      title: "Webhook",
      hint: "Reminders are posted here as JSON, signed as Standard Webhooks says. Leave it empty to have none.",
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
  [Name in ReminderChannel]: Declared[Name] extends { targets: object } ? Name : never;
}[ReminderChannel];
export type TargetColumn = Declared[ReachingChannel]["targets"][number]["column"];

export const channels: Readonly<Record<ReminderChannel, Channel<TargetColumn>>> = declared;
export const reminderChannels = Object.keys(declared) as ReminderChannel[];

export const isReaching = (channel: ReminderChannel): channel is ReachingChannel =>
  channels[channel].targets !== undefined;

/** The channels to which a person can send a test: the provider has confirmed the address of e-mail. */
export const testedChannels = reminderChannels.filter(
  (name): name is Exclude<ReachingChannel, "email"> => name !== "email" && isReaching(name),
);
export type TestedChannel = (typeof testedChannels)[number];

/** A value for the targets of each channel, by column. */
export const perTarget = <Value>(make: (target: ChannelText<TargetColumn>) => Value) =>
  Object.fromEntries(
    Object.values(channels).flatMap(({ targets = [] }) =>
      targets.map((target) => [target.column, make(target)]),
    ),
  ) as Record<TargetColumn, Value>;

/** The texts that a person types, with their channel's title. The provider confirms the address of e-mail. */
export const typedTexts = Object.values(channels).flatMap(({ card, targets = [] }) =>
  card ? targets.map(({ column }) => ({ column, title: card.title })) : [],
);

/** The most browsers of an account that show reminders. */
export const mostBrowsers = 10;
