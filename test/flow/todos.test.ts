import { expect, test } from "bun:test";
import { startStack } from "../harness.ts";

const { rest } = await startStack();

test("a created todo is answered with 201, its place and all its fields, and can be read back", async () => {
  const created = await rest("POST", "/todos", { body: { title: "  Café  " } });
  expect(created.status).toBe(201);
  expect(created.body).toMatchObject({ title: "Café", is_completed: false, category: null, due_date: null, reminder: null });
  expect(created.headers.get("location")).toEndWith(`/api/v1/todos/${created.body.id}`);
  expect(created.body.created_at).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/);
  const read = await rest("GET", `/todos/${created.body.id}`);
  expect(read.body).toEqual(created.body);
});
