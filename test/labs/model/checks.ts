/** One search through all states of protocol.pml. */
export type Check = Readonly<{
  /** Its line in the report. */
  says: string;
  scenario: Scenario;
  faults: number;
  /** The flags that take a guard away, or add what the service does not promise. */
  flags?: readonly string[];
  /** The broken property that must be found; unset: none may be. */
  finds?: Property;
}>;

type Scenario = "KEY" | "ORDER" | "SAME";

/** By their numbers in protocol.pml; the first one is the checker's own. */
export const properties = [
  "every caller is answered",
  "at most once",
  "no means never",
  "answered means committed",
  "order is kept",
  "one row in the log",
  "never begun late",
  "on the latest row",
] as const;
type Property = (typeof properties)[number];

/** @param faults at most, for the scenarios whose second fault takes long and finds least */
export const cleanChecks = (faults: number): readonly Check[] => [
  { says: "a person's two changes", scenario: "ORDER", faults: 2 },
  { says: "one key from two doors", scenario: "KEY", faults },
  { says: "a fail-over of Redis, under a key", scenario: "KEY", faults, flags: ["TWIN"] },
  { says: "one row from two doors", scenario: "SAME", faults },
];

const control = (scenario: Scenario, flags: string, finds: Property, says: string, faults = 1): Check => ({
  ...{ says, scenario, faults, finds },
  flags: flags.split(" "),
});

/** Each takes one guard of the code away, or two that stand for each other. Most were faults of Kept once. */
export const controls: readonly Check[] = [
  control("KEY", "NO_INBOX", "at most once", "no stored replies"),
  control("ORDER", "NO_UNIQUE", "at most once", "a second proof of a command is written"),
  control("ORDER", "NO_REPLIES_SINCE", "at most once", "replies lost in a crash count as never stored", 2),
  control("ORDER", "DOUBT_IS_NO", "no means never", "a COMMIT in doubt is told as no"),
  control("ORDER", "LOST_IS_NO", "no means never", "an add without an answer is told as no"),
  control("ORDER", "SENT_AGAIN", "no means never", "a lost add is sent again and refused"),
  control("ORDER", "AWAY_IS_NO", "no means never", "what left is told as no when workers are away"),
  control("ORDER", "UNSEEN_IS_NO", "no means never", "a look-up that finds nothing is told as no"),
  control("ORDER", "SHORT_LOCK", "no means never", "a job comes again while its callers wait", 2),
  control("ORDER", "LATE_REPLY_COUNTS", "no means never", "a frozen door takes a reply after 1.5 s", 2),
  control("KEY", "TWIN NO_KEY_LOCK", "no means never", "no lock of the key"),
  control("KEY", "TWIN TIMES_FIRST", "no means never", "the time is read before the key is locked"),
  control("ORDER", "ANSWER_FIRST", "answered means committed", "the answer leaves before the commit"),
  control("ORDER", "NO_LINE", "order is kept", "the next change leaves before the answer"),
  control("ORDER", "OVERTAKE", "order is kept", "a change overtakes one of its batch that is retried"),
  control("ORDER", "HALVES_OVERTAKE", "order is kept", "so it does after its batch was halved"),
  control("ORDER", "LOG_LATER", "one row in the log", "the log row is written after the commit"),
  control("ORDER", "NO_DEADLINE", "never begun late", "a worker runs what comes late"),
  control("SAME", "NO_ROW_LOCK", "on the latest row", "rows are not locked"),
  control("ORDER", "NO_PATIENCE", "every caller is answered", "a door waits for its reply for ever"),
];

/** Faults of the protocol as it is, in events rarer than those that it promises to survive. */
export const limits: readonly Check[] = [
  control("ORDER", "TWIN", "no means never", "a fail-over of Redis gives a job without a key twice"),
  control("ORDER", "STRICT_ORDER", "order is kept", "a change found in the inbox, after a later one"),
];
