import { expect, test } from "bun:test";
import {
  type QuickHabit,
  type QuickTodo,
  readQuickAdd,
} from "../../../../api/queries/quick-add/quick-add.ts";

/** A Wednesday, 10:00 in Berlin. */
const clock = { now: Date.parse("2026-11-25T09:00:00Z"), timeZone: "Europe/Berlin", today: "2026-11-25" };

const file = await Bun.file(`${import.meta.dir}/lines.txt`).text();
const rows = file
  .split("\n")
  .filter((row) => row !== "" && !row.startsWith("# "))
  .map((row) => row.split(" => "));

/** A reading in the form of lines.txt. */
function said(quick: QuickTodo | QuickHabit): string {
  const [name, fields] = quick.kind === "todo" ? [quick.title, ofTodo(quick)] : [quick.name, ofHabit(quick)];
  const or = quick.alternatives.map(({ label }) => label).join(", ");
  const known = Object.entries({ ...fields, part: quick.time_of_day, category: quick.category, or });
  const shown = known.flatMap(([field, value]) => (value ? [`${field}=${value}`] : []));
  return [name, ...shown.sort()].join(" | ");
}

function ofTodo(todo: QuickTodo) {
  const atDueTime = todo.due_time && `${todo.due_date}T${todo.due_time}`;
  return {
    date: todo.due_date,
    time: todo.due_time,
    remind: todo.remind_at !== atDueTime && (todo.remind_at ?? "never"),
    repeat: todo.recurrence?.replace("FREQ=", ""),
    from: todo.recurrence_from,
    minutes: todo.estimated_minutes,
    context: todo.context,
    important: todo.is_important && "yes",
  };
}

function ofHabit({ frequency, schedule, type }: QuickHabit) {
  const days = schedule && "weekdays" in schedule && `on ${schedule.weekdays}`;
  const times = schedule && "times_per_week" in schedule && `${schedule.times_per_week} a week`;
  const every = schedule && "every_days" in schedule && `every ${schedule.every_days} days`;
  return { habit: days || times || every || frequency, type: type === "bad" && type };
}

test.each(rows)("%s", (line = "", expected = "") => {
  const [title, ...fields] = expected.split(" | ");
  expect(said(readQuickAdd(line, clock))).toBe([title, ...fields.sort()].join(" | "));
});

const day =
  /^(to(day|d|night|mm?or?r?ow)|tmrw?|2moro|now|e[o]d|(mon|tue|wed|thu|fri|sat|sun|sater)\w*|week|month|year|weekend|days?|w(ee)?ks?|months|years?|end|mid|early|no|later|than|so|time|(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*|new|eve|s|christmas|valentines|next|this|last|first|coming|after|before|by|on|due|in|within|fortnight|six|ten|working|business|close|cob|halloween|start|beginning|thing|the|of|a|an|couple|two|three|from|at|or|for|eo[wm]|\d+(st|nd|rd|th|d|w)?)$/i;
const time =
  /^(at|by|from|to|or|in|on|o|clock|noon|midnight|half|past|an?|hour|hours?|min|h|am|pm|a|p|m|quarter|within|three|nine|minutes|\d+(am|pm|h|ish|m)?)$/i;
const repetition =
  /^(every\w*|each|evry|ev|nightly|couple|daily|weekly|monthly|yearly|annually|quarterly|quarter|biweekly|fortnightly|other|alternate|second|third|fourth|fortnight|once|working|business|night|m|w|f|t|th|tu|fr|sa|su|mwf|tth|except|excluding|but|not|weekdays?|weekends|work\w*|to|mon|until|through|thru|starting|times|completion|when|done|and)$/i;
/** Words that may leave the title if a field says the same. */
const wordsFor: Readonly<Record<string, RegExp>> = {
  due_date: day,
  due_time: time,
  remind_at: /^(set|reminder|remind|me|at|in|to|min|before|an|hours?|day|and|\d+(am|pm)?)$/i,
  recurrence: repetition,
  rhythm:
    /^(nightly|except|friday|other|\d+x?|times|three|once|a|wk|week|weekly|every|day|other|weekday|night)$/i,
  type: /^bad$/i,
  is_important: /^p?1$/i,
  time_of_day: /^(in|the|this|on|at|\w+ings?|afternoon|\w*nights?|am|pm|first|thing|nightly|of)$/i,
  estimated_minutes: /^(for|to|from|min|minutes|hours?|h|\d+(min|h|h\d+|pm)?)$/i,
};

/** Words of letters and digits, with the sign of a mark before them. */
const wordsIn = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? [];

test.each(rows)("%s: each word is in the title, or a field says it", (line = "") => {
  const quick = readQuickAdd(line.replace(/^(todo|(bad )?habit):?/i, ""), clock);
  const left = wordsIn(quick.kind === "todo" ? quick.title : quick.name);
  const set = Object.entries({ ...quick, rhythm: quick.kind === "habit" }).filter(([, value]) => value);
  const lost = wordsIn(line.replace(/^(todo|(bad )?habit):?/i, "")).filter((word) => {
    const at = left.indexOf(word);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  const isSaid = (word: string) =>
    set.some(([field, value]) => wordsFor[field]?.test(word) || wordsIn(String(value)).includes(word));
  expect(left).toEqual([]);
  expect(lost.filter((word) => !isSaid(word))).toEqual([]);
});

test("each alternative is another reading of the same line, whose fields are those of a todo or a habit", () => {
  const labels = rows.flatMap(([line = ""]) => {
    const quick = readQuickAdd(line, clock);
    for (const { label, ...fields } of quick.alternatives) {
      expect(label).not.toBe("");
      if (!("habit" in fields)) expect({ ...quick, ...fields }).not.toEqual(quick);
    }
    return quick.alternatives.map(({ label }) => label);
  });
  expect(labels.length).toBeGreaterThan(60);
});
