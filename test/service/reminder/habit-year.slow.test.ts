import { expect, test } from "bun:test";
import { createLog } from "../../../shared/process/observe/log.ts";
import { takeDueHabits } from "../../../workers/reminder/due/due-habits.ts";
import { dayAt, type Life, ringsAt } from "../../support/reminder/habit-model.ts";
import { startReminders } from "../../support/reminder/stack.ts";

const { rest, clock, configure, rows, door } = await startReminders({});
const log = createLog("test", "error");

const quarterMs = 15 * 60_000;
const dayMs = 96 * quarterMs;
const start = Date.parse("2027-03-14T12:00Z");
const days = 240;

/** Journeys that see both clock changes of Berlin, and one of New York and of Lord Howe. */
const journeys: Readonly<Record<string, string>> = {
  "2027-05-10": "America/New_York",
  "2027-09-01": "Australia/Lord_Howe",
  "2027-10-12": "Europe/Berlin",
};

const kinds = [
  { remind_at: "07:30", frequency: "daily" },
  { remind_at: "02:30", frequency: "weekly" },
  { remind_at: "02:30", frequency: "custom", schedule: { every_days: 4 } },
  { remind_at: "02:00", frequency: "custom", schedule: { weekdays: [1, 3, 7] } },
  { remind_at: "23:45", frequency: "custom", schedule: { times_per_week: 3 } },
] as const;

type Living = Readonly<{ id: number; life: Life; expected: string[] }>;

async function begin(kind: (typeof kinds)[number]): Promise<Living> {
  const body = { name: "Practise", type: "good", ...kind };
  const { id } = (await rest("POST", "/habits", { body })).body;
  const { frequency, remind_at: remindAt } = kind;
  const rules = {
    frequency,
    schedule: "schedule" in kind ? structuredClone(kind.schedule) : null,
    grace_days: 1,
  };
  const life = {
    timeZone: "Europe/Berlin",
    dayStartHour: 3,
    rules,
    remindAt,
    done: new Set<string>(),
    lastRung: "",
  };
  return { id, life: life as Life, expected: [] };
}

/** Takes every due ring until then at its time, as ticks would. */
async function ringUntil(end: number): Promise<void> {
  for (;;) {
    const [{ at }] = await rows("select min(rings_at) as at from habits");
    const next = Date.parse(at);
    if (at === null || next > end) return;
    clock.now = next;
    const travel = `${next - Date.now()} milliseconds`;
    await takeDueHabits({ database: door.database, travel, defaultTimeZone: "UTC", log }, 100);
  }
}

/** A sequence that looks random and is the same each time. */
function dice(): () => number {
  let state = 7;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

test("through the days of a year with journeys and DST, each habit rings once on each day on which it is due and not done before", async () => {
  clock.now = start;
  await configure({ time_zone: "Europe/Berlin", day_start_hour: 3 });
  const habits = await Promise.all(kinds.map(begin));
  const chance = dice();
  let at = start;
  for (let day = 0; day < days; day++) {
    const end = start + (day + 1) * dayMs;
    // The moment lies between two quarters of an hour.
    const acting = start + day * dayMs + Math.floor(chance() * 95) * quarterMs + 420_000;
    await ringUntil(acting);
    for (; at + quarterMs <= acting; at += quarterMs)
      for (const one of habits) expectRings(one, at + quarterMs);
    clock.now = acting;
    const timeZone = journeys[new Date(end).toISOString().slice(0, 10)];
    if (timeZone) await configure({ time_zone: timeZone });
    for (const { id, life } of habits) {
      if (timeZone) life.timeZone = timeZone;
      else if (chance() < 0.3) {
        const { status } = await rest("POST", `/habits/${id}/complete`);
        if (status === 200) life.done.add(dayAt(life, acting));
      }
    }
  }
  await ringUntil(at);
  for (const { id, expected } of habits) {
    const found = await rows(
      `select scheduled_at as at from reminder_deliveries where habit_id = $1 and scheduled_at <= $2
       order by scheduled_at`,
      [id, new Date(at).toISOString()],
    );
    expect(expected.length).toBeGreaterThan(20);
    expect(found.map((row) => new Date(Date.parse(row.at)).toISOString())).toEqual(expected);
  }
});

function expectRings({ life, expected }: Living, at: number): void {
  const day = ringsAt(life, at);
  if (day === undefined) return;
  life.lastRung = day;
  expected.push(new Date(at).toISOString());
}
