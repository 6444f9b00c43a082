import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import {
  isTimeZone,
  localDay,
  localTime,
  resolveLocalTime,
  timestamp,
} from "../../../../shared/domain/day/day.ts";
import { services } from "../../../support/servers/services.ts";
import { wordsIn } from "../../../support/text-table.ts";

/** Zones with whole, half and quarter hours, and with every kind of DST: by rule or decree, at midnight, abolished. */
const zones = wordsIn(`
  UTC Europe/London Europe/Berlin Europe/Istanbul Africa/Casablanca Africa/Cairo Asia/Gaza Asia/Tehran Asia/Kolkata
  Asia/Kathmandu Asia/Almaty Asia/Tokyo Australia/Lord_Howe Pacific/Chatham Pacific/Kiritimati Pacific/Pago_Pago
  America/New_York America/St_Johns America/Havana America/Nuuk`);
const hour = 3_600_000;
const from = Date.UTC(2020, 0, 1);
const to = Date.UTC(2036, 0, 1);

/** Every third date at one hour each, and every half hour of the two days around a transition, both just before and at it. */
function instants(timeZone: string): number[] {
  const found: number[] = [];
  for (let at = from; at < to; at += 71 * hour) found.push(at);
  for (const transition of transitions(timeZone)) {
    for (let at = transition - 24 * hour; at <= transition + 24 * hour; at += hour / 2)
      found.push(at - 1, at);
  }
  return found;
}

function transitions(timeZone: string): number[] {
  const found: number[] = [];
  const start = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(timeZone);
  let next = start.getTimeZoneTransition("next");
  while (next && next.epochMilliseconds < to) {
    found.push(next.epochMilliseconds);
    next = next.getTimeZoneTransition("next");
  }
  return found;
}

const sql = new SQL((await services()).databaseUrl);
afterAll(() => sql.close());

test.each(zones)(
  "%s: from 2020 to 2035 the user's day is Postgres' own, at every day_start_hour",
  async (zone) => {
    const moments = instants(zone);
    const rows: { at: string; start: number; day: string }[] = await sql`
    select at, start,
      ((to_timestamp(at / 1000.0) at time zone ${zone}) - make_interval(hours => start))::date::text as day
    from unnest(string_to_array(${moments.join()}, ',')::bigint[]) as at, generate_series(0, 6) as start`;
    expect(rows.length).toBe(moments.length * 7);
    expect(rows.filter(({ at, start, day }) => localDay(Number(at), zone, start) !== day)).toEqual([]);
  },
);

test.each([
  ["the day turns at midnight by the wall", "2026-05-10T21:59:59.999Z", "Europe/Berlin", 0, "2026-05-10"],
  ["and not before", "2026-05-10T22:00:00Z", "Europe/Berlin", 0, "2026-05-11"],
  ["later for people who finish at 1 a.m.", "2026-05-10T23:59:59Z", "Europe/Berlin", 2, "2026-05-10"],
  ["up to their hour", "2026-05-11T00:00:00Z", "Europe/Berlin", 2, "2026-05-11"],
  ["into the hour that DST skips", "2026-03-29T00:59:59Z", "Europe/Berlin", 2, "2026-03-28"],
  ["whose end is their hour too", "2026-03-29T01:00:00Z", "Europe/Berlin", 2, "2026-03-29"],
  ["in the repeated hour, its first time", "2026-10-25T00:30:00Z", "Europe/Berlin", 3, "2026-10-24"],
  ["and its second", "2026-10-25T01:30:00Z", "Europe/Berlin", 3, "2026-10-24"],
  ["over a day that Apia never had", "2011-12-30T10:00:00Z", "Pacific/Apia", 0, "2011-12-31"],
  ["over the year's end", "2027-01-01T04:00:00Z", "UTC", 5, "2026-12-31"],
])("%s: %s in %s with day_start_hour %i is %s", (_, instant, zone, dayStartHour, day) => {
  expect(localDay(Date.parse(instant), zone, dayStartHour)).toBe(day);
});

test.each([
  ["plain", "2026-11-21T09:00:00", "Europe/Berlin", "2026-11-21T08:00:00.000Z"],
  ["without seconds", "2026-11-21T09:00", "Asia/Kathmandu", "2026-11-21T03:15:00.000Z"],
  ["in a gap: the first minute after it", "2026-03-29T02:30:00", "Europe/Berlin", "2026-03-29T01:00:00.000Z"],
  ["at a gap's first minute", "2026-03-08T02:00:00", "America/New_York", "2026-03-08T07:00:00.000Z"],
  ["just after a gap", "2026-03-29T03:00:00", "Europe/Berlin", "2026-03-29T01:00:00.000Z"],
  ["in a gap at midnight", "2026-03-08T00:30:00", "America/Havana", "2026-03-08T05:00:00.000Z"],
  ["in an overlap: the first of the two", "2026-10-25T02:30:00", "Europe/Berlin", "2026-10-25T00:30:00.000Z"],
  ["in a gap of half an hour", "2026-10-04T02:15:00", "Australia/Lord_Howe", "2026-10-03T15:30:00.000Z"],
  ["in an overlap of half an hour", "2026-04-05T01:45:00", "Australia/Lord_Howe", "2026-04-04T14:45:00.000Z"],
  ["on the day that Apia skipped", "2011-12-30T12:00:00", "Pacific/Apia", "2011-12-30T10:00:00.000Z"],
])("a wall time %s: %s in %s is %s", (_, wallTime, zone, instant) => {
  expect(new Date(resolveLocalTime(wallTime, zone)).toISOString()).toBe(instant);
});

test.each(zones)(
  "%s: a wall time leads back to its instant, or to the first of two that share it",
  (zone) => {
    const wrong = instants(zone).filter((at) => {
      const resolved = resolveLocalTime(localTime(at, zone), zone);
      return resolved > at || localTime(resolved, zone) !== localTime(at, zone);
    });
    expect(wrong).toEqual([]);
  },
);

test("zones are IANA names or aliases; offsets, abbreviations and made-up names are not", () => {
  const good = "UTC Europe/Berlin europe/berlin Asia/Calcutta America/Argentina/Ushuaia Etc/GMT+5".split(" ");
  const made = "+01:00 -05 Z UTC+1 PST Berlin Europe/Nowhere ../etc".split(" ");
  const bad = ["", "Europe/Berlin ", ...made];
  expect([good.filter(isTimeZone), bad.filter(isTimeZone)]).toEqual([good, []]);
});

test("a time of PostgreSQL keeps its microseconds; handlers' own pass as they are", () => {
  expect(timestamp("2026-11-20 09:15:02.1042+00")).toBe("2026-11-20T09:15:02.104200Z");
  expect(timestamp("2026-11-20T09:15:02.1042+00:00")).toBe("2026-11-20T09:15:02.104200Z");
  expect(timestamp("2026-11-20 09:15:02+00")).toBe("2026-11-20T09:15:02.000000Z");
  expect(timestamp("2026-11-20T09:15:02.104Z")).toBe("2026-11-20T09:15:02.104000Z");
});

test("a time in another zone is refused: without its offset it would be a wrong one", () => {
  for (const other of [
    "2026-11-20 10:15:02+01",
    "2026-11-20 09:15:02-03:30",
    "2026-11-20 09:15:02",
    "infinity",
  ])
    expect(() => timestamp(other)).toThrow("not in UTC");
});
