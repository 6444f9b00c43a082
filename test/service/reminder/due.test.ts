import { expect, test } from "bun:test";
import { useStack } from "../../harness.ts";
import { reminding } from "../../support/reminder/stack.ts";

const stack = await useStack({ travels: true });
const { travelTo, createTodo, remind, statusBecomes, deliveriesOf, reminderOf } = reminding(stack);

test("a due reminder is tried once, and marked unsent while no channel is chosen", async () => {
  travelTo("2026-11-21T08:00:00Z");
  const todo = await createTodo();
  expect((await remind(todo, "2026-11-21T09:00:00+01:00")).body).toEqual({
    todo_id: todo,
    remind_at: "2026-11-21T08:00:00.000000Z",
    local_time: "2026-11-21T08:00:00",
    time_zone: "UTC",
    status: "scheduled",
    reaches: "nobody",
    choose_channel_at: `${stack.config.baseUrl}/account/settings`,
  });
  await statusBecomes(todo, "unsent");
  const deliveries = await deliveriesOf(todo);
  expect(deliveries).toHaveLength(1);
  expect(deliveries[0]).toMatchObject({ status: "unsent", channel: "log", attempts: 1, late: false });
});

test("a reminder that is not due stays scheduled", async () => {
  travelTo("2026-11-21T08:00:00Z");
  const todo = await createTodo();
  await remind(todo, "2026-11-21T08:00:30Z");
  await Bun.sleep(2_000);
  expect((await reminderOf(todo)).status).toBe("scheduled");
  expect(await deliveriesOf(todo)).toEqual([]);
});
