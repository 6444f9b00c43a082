import { expect, test } from "bun:test";
import { sayConflict } from "../../../../../../api/doors/pages/action/take-back/conflicts.ts";
import { namesThen } from "../../../../../../api/doors/pages/action/words/known.ts";
import { wordsInHtml } from "../../../../../../api/doors/pages/action/words/words.ts";
import { type UndoConflict, undoConflicts } from "../../../../../../shared/contracts/action/undo.ts";
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
type Case = readonly [why: UndoConflict["why"], row: string | null, fields: string, sentence: string, Known?];

const [rent, claude, then] = ["The todo “Pay rent”", "“Claude Desktop”", "on Fri 20 Nov 09:12:01"];
const swum = "habit_completions/7/2026-11-19";
const completion = "The completion of “Run” for Thu 19 Nov";
const cases: readonly Case[] = [
  ["changed_since", "todos/5", "title", `${rent} keeps its present title: ${claude} changed that ${then}.`],
  [
    "changed_since",
    "todos/5",
    "due_date title",
    `${rent} keeps its present due date and title: you changed that ${then}.`,
    { by: { ...by, door: "page" } },
  ],
  [
    "changed_since",
    "todos/5",
    "is_completed completed_at",
    `${rent} keeps its present completion: somebody changed that since.`,
    { by: undefined },
  ],
  [
    "changed_since",
    "todos/5",
    "title context category_id",
    `${rent} stays: “Token 01234567” changed its title, context and category ${then}.`,
    { action: made, by: { ...by, client_name: null } },
  ],
  [
    "changed_since",
    "todos/5",
    "recurrence recurrence_from recurrence_anchor time_of_day",
    `${rent} keeps its present repetition and time of day: ${claude} changed that ${then}.`,
  ],
  [
    "changed_since",
    "habits/7",
    "frequency schedule grace_days type",
    `The habit “Run” stays: ${claude} changed its rhythm, grace days and type ${then}.`,
  ],
  [
    "changed_since",
    "categories/9",
    "color icon",
    `The category “Home” stays: ${claude} changed its colour and icon ${then}.`,
  ],
  [
    "changed_since",
    "todos/5",
    "unheard_of",
    `${rent} keeps its present state: ${claude} changed that ${then}.`,
  ],
  ["deleted_since", "todos/5", "", `${rent} is gone: ${claude} deleted it ${then}.`],
  [
    "deleted_since",
    "reminders/5",
    "",
    "The reminder of “Pay rent” is gone: somebody deleted it since.",
    { by: undefined },
  ],
  ["made_again", swum, "", `${completion} is there again already.`],
  ["in_use", "categories/9", "", "The category “Home” stays, because something else belongs to it now."],
  [
    "category_gone",
    "todos/5",
    "category_id",
    `${rent} does not get its category back, because that is gone.`,
  ],
  ["made_again", "habits/8", "", "The habit number 8 is there again already."],
  ["taken_back", null, "", "It is taken back already."],
  ["too_old", null, "", "It is more than 30 days old."],
  ["changed_since", "planets/5", "title", "It was changed since."],
  [
    "changed_since",
    "todos/5",
    "title",
    "It was changed since.",
    { action: loggedRow({ before: "{", after: null }) },
  ],
];

const htmlOf = (...[why, row, fields, , known]: Case): string => {
  const { action = changed } = known ?? {};
  const names = namesThen(action, present);
  const past = { by, names, timeZone: "Europe/Berlin", ...known, action };
  const conflict = { why, row, fields: fields.split(" ").filter(Boolean) };
  return markup(wordsInHtml(sayConflict(conflict, past), "2026-11-21"));
};

test("each conflict is a sentence with the thing's name at that time, and by whom", () => {
  for (const one of cases) expect(htmlOf(...one).replace(/<q><bdi>(.*?)<\/bdi><\/q>/g, "“$1”")).toBe(one[3]);
  const told = new Set(cases.map(([why]) => why));
  expect(undoConflicts.filter((why) => !told.has(why))).toEqual(["unknown", "nothing_changed"]);
});

test("names in it are quoted, whoever chose them", () => {
  const evil = `” stays. <b>Your bank</b>`;
  const action = loggedRow({ before: JSON.stringify({ "todos/5": { title: evil } }), after: "{}" });
  const html = htmlOf("deleted_since", "todos/5", "", "", { action, by: { ...by, client_name: evil } });
  expect(html).not.toContain("<b>");
  expect(html.replace(/<q><bdi>.*?<\/bdi><\/q>/g, "…")).toBe(
    "The todo … is gone: … deleted it on Fri 20 Nov 09:12:01.",
  );
});
