import { expect, test } from "bun:test";
import { imagesOf, type RowChange } from "../../../../shared/domain/action/images.ts";

/** A habit that comes back with its completions, as many as it has days. */
const returning = (id: number, days: number): RowChange[] => [
  { table: "habits", key: [String(id)], before: undefined, after: { id, name: "Read" } },
  ...Array.from({ length: days }, (_, day): RowChange => {
    const local_date = new Date(day * 86_400_000).toISOString().slice(0, 10);
    const after = { habit_id: id, local_date };
    return { table: "habit_completions", key: [String(id), local_date], before: undefined, after };
  }),
];

test("images of many changes look at each of them a few times, however many there are", () => {
  let looks = 0;
  const watched = (change: RowChange) =>
    new Proxy(change, {
      get(target, property, receiver) {
        looks++;
        return Reflect.get(target, property, receiver);
      },
    });
  const changes = Array.from({ length: 200 }, (_, id) => returning(id, 10))
    .flat()
    .map(watched);
  const { after } = imagesOf(changes, { time_zone: "UTC", day_start_hour: 0 });
  expect(Object.keys(after)).toHaveLength(200);
  expect(looks).toBeLessThan(20 * changes.length);
});
