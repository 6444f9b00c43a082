import fc from "fast-check";

/** The number of generated requests: FUZZ_RUNS sets a longer search. */
export const fuzzRuns = (usually: number): number => Number(Bun.env.FUZZ_RUNS ?? usually);

/** Milliseconds that suffice for 10,000 on a busy machine. */
export const fuzzTimeoutMs = 900_000;

/** Values that have broken services before, beside plain ones that pass. */
export const oddValue = fc.oneof(
  fc.constantFrom<unknown>(
    ...[
      null,
      true,
      false,
      0,
      1,
      -1,
      1.5,
      1e308,
      9007199254740991,
      9007199254740992,
      -0,
      "",
      " ",
      "x",
      "1",
      "0x10",
    ],
    ...[
      "daily",
      "weekly",
      "custom",
      "good",
      "morning",
      "due",
      "completion",
      "#fff",
      "\u0000",
      "\ud800",
      "\u{E0041}",
      "\u202E",
      "x\uFE0F\u200D",
      "__proto__",
    ],
    ...[
      new Date().toISOString().slice(0, 10),
      new Date(Date.now() - 86_400_000).toISOString().slice(0, 10),
      "2026-12-31",
      "0001-01-01",
      "9999-12-31",
      "2026-02-30",
      "2099-01-01T09:00",
      "9999-12-31T23:59:59-12:00",
    ],
    ...[
      "0001-01-01T00:00:00+14:00",
      "2099-06-31T00:00Z",
      "+275760-09-13T00:00Z",
      "2099-01-01T24:00",
      "2099-12-31T23:59:60Z",
    ],
    ...[
      "FREQ=DAILY",
      "FREQ=YEARLY;BYMONTHDAY=29",
      "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYSETPOS=-1;WKST=MO;",
      "FREQ=MONTHLY;BYDAY=5FR;COUNT=99",
      "FREQ=DAILY;UNTIL=19700101",
      "RRULE:",
      `FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=31`,
      "FREQ=DAILY;INTERVAL=1000;COUNT=1000",
    ],
    ...[
      { every_days: 365 },
      { weekdays: [1, 1] },
      { weekdays: [7, 1] },
      { times_per_week: 7 },
      { times_per_week: 1e9 },
      { toString: 1, valueOf: 1 },
      ["due_date"],
    ],
  ),
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: "binary", maxLength: 300 }),
);
