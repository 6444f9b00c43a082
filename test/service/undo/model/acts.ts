import fc from "fast-check";

/** An act without row ids: `which` picks one of the present rows. */
export type Act =
  | { do: "todo.create" | "habit.create" | "category.create"; fields: Fields }
  | { do: "todo.update" | "habit.update" | "category.update"; which: number; fields: Fields }
  | { do: "todo.delete" | "habit.delete" | "category.delete" | "reminder.clear"; which: number }
  | { do: "todo.toggle"; which: number; to: boolean | undefined }
  | { do: "reminder.set"; which: number; at: ReminderTime }
  | { do: "habit.complete" | "habit.undo"; which: number; back: number }
  | { do: "todo.create"; each: Fields[] }
  | { do: "todo.update" | "habit.update"; whiches: number[]; fields: Fields }
  | { do: "todo.delete" | "todo.toggle" | "habit.delete"; whiches: number[] }
  | { do: "habit.complete" | "habit.undo"; whiches: number[]; backs: number[] }
  | { do: "category.rename"; which: number; name: string }
  | { do: "user.configure"; fields: Fields }
  | { do: "action.undo"; which: number; count: number };

export type Fields = Readonly<Record<string, unknown>>;
/** Hours from now, as an instant or by the user's clock. */
export type ReminderTime = Readonly<{ hours: number; wall: boolean }>;
/** These stand for values that are known only when the act is done. */
export type CategoryChoice = Readonly<{ category: number | null; byName: boolean }>;
export type DueDate = Readonly<{ days: number }>;

export type Who = "mcp" | "rest" | "page";
export type Step = Readonly<
  { who: Who; minutes: number; act: Act } | { who: Who; minutes: number; group: Act[]; atomic: boolean }
>;
export type UndoPlan = Readonly<{
  who: "mcp" | "rest";
  count: number;
  chunks: number[];
  preview: boolean;
  twice: boolean;
  minutes: number;
}>;
export type Life = Readonly<{ start: string; zone: string; steps: Step[]; plan: UndoPlan }>;

const which = fc.nat(99);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 3 });
const text = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom("a", "b", "c") },
  { weight: 1, arbitrary: fc.constant("ä".repeat(3_000)) },
);
const timeOfDay = fc.constantFrom("morning", "evening");
const category: fc.Arbitrary<CategoryChoice> = fc.record({ category: maybe(which), byName: fc.boolean() });
const dueDate: fc.Arbitrary<DueDate> = fc.record({ days: fc.integer({ min: -3, max: 12 }) });
const reminderTime: fc.Arbitrary<ReminderTime> = fc.record({
  hours: fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 10, max: 400 })),
  wall: fc.boolean(),
});
const rule = fc.constantFrom("FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO,TH", "FREQ=DAILY;COUNT=2", "FREQ=MONTHLY");

const todoFields = {
  title: fc.constantFrom("t", "u", "v"),
  description: maybe(text),
  due_date: maybe(dueDate),
  time_of_day: maybe(timeOfDay),
  estimated_minutes: maybe(fc.constantFrom(5, 10)),
  context: maybe(fc.constantFrom("@home", "@desk")),
  category,
  recurrence: maybe(rule),
  recurrence_from: fc.constantFrom("due", "completion"),
  remind_at: maybe(reminderTime),
};
const schedule = fc.oneof(
  fc.record({ every_days: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ weekdays: fc.subarray([1, 2, 3, 4, 5, 6, 7], { minLength: 1 }) }),
  fc.record({ times_per_week: fc.integer({ min: 1, max: 4 }) }),
);
const rhythm = fc.oneof(
  fc.record({ frequency: fc.constantFrom("daily", "weekly", "custom") }),
  fc.record({ frequency: fc.constant("custom"), schedule }),
);
const habitFields = {
  name: fc.constantFrom("h", "i"),
  type: fc.constantFrom("good", "bad"),
  time_of_day: maybe(timeOfDay),
  category,
  description: maybe(text),
  grace_days: maybe(fc.integer({ min: 0, max: 3 })),
  remind_at: maybe(fc.constantFrom("07:00", "21:30")),
};
const categoryFields = {
  name: fc.constantFrom("k", "l"),
  color: fc.constantFrom("#123", "#abcdef"),
  icon: maybe(fc.constant("house")),
};
const sparse = <T extends object>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<Fields> =>
  fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<Fields>;
const whole = (fields: Record<string, fc.Arbitrary<unknown>>, ...required: string[]): fc.Arbitrary<Fields> =>
  fc.record(fields, { requiredKeys: required }) as fc.Arbitrary<Fields>;
const some = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Fields> =>
  fc
    .uniqueArray(fc.constantFrom(...Object.keys(fields)), { minLength: 1, maxLength: 3 })
    .chain((names) => sparse(Object.fromEntries(names.map((name) => [name, fields[name] ?? text]))));

const newTodo = whole(todoFields, "title");
const newHabit = fc
  .tuple(whole(habitFields, "name", "type"), rhythm)
  .map(([fields, rules]) => ({ ...fields, ...rules }));
const habitChange = fc.oneof(
  some(habitFields),
  fc.tuple(some(habitFields), rhythm).map(([fields, rules]) => ({ ...fields, ...rules })),
  sparse<{ schedule: unknown }>({ schedule: maybe(schedule) }),
);
const back = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 7 }) },
);

const whiches = fc.array(which, { minLength: 1, maxLength: 3 });
const backs = fc.uniqueArray(back, { minLength: 1, maxLength: 3 });

const act = (doing: Act["do"], parts: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Act> =>
  fc.record({ do: fc.constant(doing), ...parts }) as fc.Arbitrary<Act>;

const ofOneThing: [number, fc.Arbitrary<Act>][] = [
  [4, act("todo.create", { fields: newTodo })],
  [3, act("habit.create", { fields: newHabit })],
  [2, act("category.create", { fields: whole(categoryFields, "name") })],
  [6, act("todo.update", { which, fields: some(todoFields) })],
  [4, act("habit.update", { which, fields: habitChange })],
  [2, act("category.update", { which, fields: some(categoryFields) })],
  [3, act("todo.delete", { which })],
  [2, act("habit.delete", { which })],
  [2, act("category.delete", { which })],
  [5, act("todo.toggle", { which, to: fc.constantFrom(undefined, true, false) })],
  [3, act("reminder.set", { which, at: reminderTime })],
  [2, act("reminder.clear", { which })],
  [6, act("habit.complete", { which, back })],
  [3, act("habit.undo", { which, back })],
];
const weighted = (choices: [number, fc.Arbitrary<Act>][]) =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));

const zones = ["Europe/Berlin", "Pacific/Kiritimati", "Pacific/Pago_Pago", "America/New_York", "UTC"];
const zone = fc.constantFrom(...zones);
const oneThing = weighted(ofOneThing);
const anything = weighted([
  ...ofOneThing,
  [2, act("todo.create", { each: fc.array(newTodo, { minLength: 1, maxLength: 3 }) })],
  [2, act("todo.update", { whiches, fields: some(todoFields) })],
  [2, act("todo.delete", { whiches })],
  [2, act("todo.toggle", { whiches })],
  [1, act("habit.update", { whiches, fields: habitChange })],
  [1, act("habit.delete", { whiches })],
  [2, act("habit.complete", { whiches, backs })],
  [2, act("habit.undo", { whiches, backs })],
  [1, act("category.rename", { which, name: fc.constantFrom("k", "m") })],
]);
const settings = whole({ time_zone: zone, day_start_hour: fc.constantFrom(0, 3, null) });
const onPages = weighted([
  ...ofOneThing,
  [4, act("user.configure", { fields: settings })],
  [4, act("action.undo", { which, count: fc.integer({ min: 1, max: 3 }) })],
]);

const minutes = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 30 }) },
  { weight: 3, arbitrary: fc.integer({ min: 30, max: 30 * 60 }) },
  { weight: 1, arbitrary: fc.integer({ min: 60, max: 6 * 24 * 60 }) },
);

const by = (who: Who, what: fc.Arbitrary<Act>): fc.Arbitrary<Step> =>
  fc.record({ who: fc.constant(who), minutes, act: what });
const several = fc.array(oneThing, { minLength: 2, maxLength: 5 });
const inGroup = { who: fc.constant("rest" as const), minutes, group: several, atomic: fc.boolean() };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: by("mcp", anything) },
  { weight: 5, arbitrary: by("rest", oneThing) },
  { weight: 1, arbitrary: fc.record(inGroup) },
  { weight: 3, arbitrary: by("page", onPages) },
);

const plan: fc.Arbitrary<UndoPlan> = fc.record({
  who: fc.constantFrom("mcp" as const, "rest" as const),
  count: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constant(40)),
  chunks: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 }),
  preview: fc.boolean(),
  twice: fc.boolean(),
  minutes,
});

/** Shortly before months, leap days and changes of the clock. */
const starts = [
  "2026-03-27T10:00:00Z",
  "2026-10-24T22:30:00Z",
  "2028-02-27T00:10:00Z",
  "2026-12-30T12:00:00Z",
];
const start = fc.constantFrom(...starts);

export const lives = (minLength: number, maxLength: number): fc.Arbitrary<Life> =>
  fc.record({ start, zone, steps: fc.array(step, { minLength, maxLength, size: "max" }), plan });
