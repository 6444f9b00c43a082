import { join } from "node:path";
import { inFolder } from "../../support/folder.ts";
import { runLab } from "../terminal.ts";

type Outcome = Readonly<{ found: string | undefined; states: number; isWhole: boolean }>;

/**
 * `npm run lab -- model [faults]`: checks every state of the protocol, and that each control is found. `faults` is the
 * number in a run, 1 if unset.
 */
async function checkModel(faults: number): Promise<boolean> {
  const missing = ["spin", "gcc"].filter((program) => !Bun.which(program));
  if (missing.length > 0) {
    console.log(`SKIPPED: the model needs ${missing.join(" and ")}.`);
    return true;
  }
  const began = performance.now();
  const all = Object.entries({ clean: cleanChecks(faults), control: controls, limit: limits });
  const waiting = all.flatMap(([kind, checks]) => checks.map((check) => ({ kind, check })));
  const count = waiting.length;
  let right = 0;
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { kind, check } = next;
      if (isExpected(kind, check, await inFolder("model", (folder) => search(check, folder)))) right += 1;
    }
  };
  await Promise.all([work(), work()]);
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  console.log(`${right} of ${count} as expected, in ${seconds} s`);
  return right === count;
}

/** @returns whether the check found what it must, which is printed */
function isExpected(kind: string, check: Check, { found, states, isWhole }: Outcome): boolean {
  const isRight = found === check.finds && (found !== undefined || isWhole);
  const name = [check.scenario, ...(check.flags ?? []), check.faults].join(" ");
  const result = found ?? (isWhole ? "no fault" : "search not ended");
  const columns = [isRight ? "ok  " : "FAIL", kind.padEnd(7), name.padEnd(27), String(states).padStart(9)];
  console.log(`${columns.join(" ")} states  ${result}: ${check.says}`);
  return isRight;
}

/** Makes a program of the model and lets it look for a fault in all states. */
async function search({ scenario, faults, flags = [], finds }: Check, cwd: string): Promise<Outcome> {
  const defines = [scenario, `FAULTS=${faults}`, ...flags].map((flag) => `-D${flag}`);
  const speed = finds ? "-O0" : "-O2";
  await Bun.$`spin -a ${defines} ${join(import.meta.dir, "protocol.pml")}`.cwd(cwd).quiet();
  await Bun.$`gcc ${speed} -DSAFETY -DCOLLAPSE -w -o pan pan.c`.cwd(cwd).quiet();
  const text = await Bun.$`./pan -m100000 -w22 -n`.cwd(cwd).nothrow().text();
  const [, number] = /assertion violated .*\((\d)==0\)/.exec(text) ?? [];
  const isStuck = text.includes("invalid end state (");
  return {
    found: number ? properties[Number(number)] : isStuck ? properties[0] : undefined,
    states: Number(/(\d+) states, stored/.exec(text)?.[1]),
    isWhole: text.includes("errors: 0") && !/Search not completed|max search depth/.test(text),
  };
}

/** One search through all states of protocol.pml. */
type Check = Readonly<{
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
const properties = [
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
const cleanChecks = (faults: number): readonly Check[] => [
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
const controls: readonly Check[] = [
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
const limits: readonly Check[] = [
  control("ORDER", "TWIN", "no means never", "a fail-over of Redis gives a job without a key twice"),
  control("ORDER", "STRICT_ORDER", "order is kept", "a change found in the inbox, after a later one"),
];

await runLab(() => checkModel(Number(process.argv[2] ?? 1)));
