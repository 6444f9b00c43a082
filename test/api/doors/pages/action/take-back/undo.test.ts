import { expect, test } from "bun:test";
import { sayConflict } from "../../../../../../api/doors/pages/action/take-back/undo.ts";
import { wordsInHtml } from "../../../../../../api/doors/pages/action/words.ts";
import { namesThen } from "../../../../../../api/queries/action/things.ts";
import { undoConflicts } from "../../../../../../shared/contracts/action/contracts.ts";
import { markup } from "../../../../../../shared/html.ts";
import { loggedRow } from "../../../../../support/pages/logged-row.ts";

const present = new Map([
  ["habits/7", "Run"],
  ["todos/5", "Present title"],
  ["categories/9", "Home"],
]);
const changed = loggedRow({
  before: JSON.stringify({ "todos/5": { title: "Pay rent", due_date: null } }),
  after: JSON.stringify({ "todos/5": { title: "Pay the rent", due_date: "2026-12-01" } }),
});
const made = loggedRow({
  resource_kind: "todo",
  resource_id: 5,
  resource_name: "Pay rent",
  after: JSON.stringify({ "todos/5": { title: "Pay rent" } }),
});
const by = {
  called_at: "2026-11-20T08:12:01.000000Z",
  request_id: "00000000-0000-0000-0000-000000000000",
  door: "rest" as const,
  token_id: "0123456789abcdef",
  client_name: "Claude Desktop",
};

type Known = Partial<Parameters<typeof sayConflict>[1]>;
/** A reason with its row, if there is one, and the fields; the sentence; further facts. */
type Case = readonly [conflict: string, sentence: string, Known?];

const [rent, claude, then] = ["The todo “Pay rent”", "“Claude Desktop”", "on Fri 20 Nov 09:12:01"];
const keeps = `${rent} keeps its present`;
const byItsPerson: Known = { by: { ...by, door: "page" } };
const byNobodyKnown: Known = { by: undefined };
const byNamelessToken: Known = { action: made, by: { ...by, client_name: null } };
const repetition = "recurrence recurrence_from recurrence_anchor time_of_day";
const swum = "habit_completions/7/2026-11-19";
const completion = "The completion of “Run” for Thu 19 Nov";
const cases: readonly Case[] = [
  ["changed_since todos/5 title", `${keeps} title: ${claude} changed that ${then}.`],
  [
    "changed_since todos/5 due_date title",
    `${keeps} due date and title: you changed that ${then}.`,
    byItsPerson,
  ],
  [
    "changed_since todos/5 is_completed completed_at",
    `${keeps} completion: somebody changed that since.`,
    byNobodyKnown,
  ],
  [
    "changed_since todos/5 title context category_id",
    `${rent} stays: “Token 01234567” changed its title, context and category ${then}.`,
    byNamelessToken,
  ],
  [
    `changed_since todos/5 ${repetition}`,
    `${keeps} repetition and time of day: ${claude} changed that ${then}.`,
  ],
  [
    "changed_since habits/7 frequency schedule grace_days type",
    `The habit “Run” stays: ${claude} changed its rhythm, grace days and type ${then}.`,
  ],
  [
    "changed_since categories/9 color icon",
    `The category “Home” stays: ${claude} changed its colour and icon ${then}.`,
  ],
  ["changed_since todos/5 unheard_of", `${keeps} state: ${claude} changed that ${then}.`],
  ["deleted_since todos/5", `${rent} is gone: ${claude} deleted it ${then}.`],
  [
    "deleted_since reminders/5",
    "The reminder of “Pay rent” is gone: somebody deleted it since.",
    byNobodyKnown,
  ],
  [`made_again ${swum}`, `${completion} is there again already.`],
  ["in_use categories/9", "The category “Home” stays, because something else belongs to it now."],
  ["category_gone todos/5 category_id", `${rent} does not get its category back, because that is gone.`],
  ["made_again habits/8", "The habit number 8 is there again already."],
  ["taken_back", "It is taken back already."],
  ["too_old", "It is more than 30 days old."],
  ["changed_since planets/5 title", "It was changed since."],
  [
    "changed_since todos/5 title",
    "It was changed since.",
    { action: loggedRow({ before: "{", after: null }) },
  ],
];

const whyOf = (conflict: string) => undoConflicts.find((why) => why === conflict.split(" ")[0]) ?? "unknown";

const htmlOf = (conflict: string, known: Known = {}): string => {
  const { action = changed } = known;
  const past = { by, names: namesThen(action, present), timeZone: "Europe/Berlin", ...known, action };
  const [, row = null, ...fields] = conflict.split(" ");
  return markup(wordsInHtml(sayConflict({ why: whyOf(conflict), row, fields }, past), "2026-11-21"));
};

test("each conflict is a sentence with the thing's name at that time, and by whom", () => {
  for (const [conflict, sentence, known] of cases)
    expect(htmlOf(conflict, known).replace(/<q><bdi>(.*?)<\/bdi><\/q>/g, "“$1”")).toBe(sentence);
  const told = new Set(cases.map(([conflict]) => whyOf(conflict)));
  expect(undoConflicts.filter((why) => !told.has(why))).toEqual(["unknown", "nothing_changed"]);
});

test("names in it are quoted, whoever chose them", () => {
  const evil = `” stays. <b>Your bank</b>`;
  const action = loggedRow({ before: JSON.stringify({ "todos/5": { title: evil } }), after: "{}" });
  const html = htmlOf("deleted_since todos/5", { action, by: { ...by, client_name: evil } });
  expect(html).not.toContain("<b>");
  expect(html.replace(/<q><bdi>.*?<\/bdi><\/q>/g, "…")).toBe(
    "The todo … is gone: … deleted it on Fri 20 Nov 09:12:01.",
  );
});
