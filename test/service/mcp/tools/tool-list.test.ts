import { expect, test } from "bun:test";
import { join } from "node:path";
import { encode } from "gpt-tokenizer/encoding/cl100k_base";
import { startStack } from "../../../harness.ts";
import { post, rpc, type Tool } from "../../../support/mcp.ts";

const stack = await startStack();
const token = await stack.issuer.token({ scope: "categories:read" });
const answer = await post(stack, rpc("tools/list"), { token });
const tools: Tool[] = answer.body.result.tools;
const file = join(import.meta.dir, "snapshots", "tools-list.json");

const only = (hint: keyof Tool["annotations"]) =>
  tools.filter(({ annotations }) => annotations[hint]).map(({ name }) => name);

test("the tool list is the one under snapshots: run with UPDATE_SNAPSHOTS=1 when a change is meant", async () => {
  const text = `${JSON.stringify(answer.body.result, null, 2)}\n`;
  if (Bun.env.UPDATE_SNAPSHOTS) await Bun.write(file, text);
  expect(text).toBe(await Bun.file(file).text());
});

test("the whole tool list costs an agent at most 1,600 tokens", () => {
  expect(encode(JSON.stringify(answer.body.result)).length).toBeLessThanOrEqual(1_600);
});

test("an argument whose name does not say it all is explained, alike in every tool", () => {
  const explanations = tools.flatMap(({ inputSchema }) =>
    Object.entries(inputSchema.properties).flatMap(([name, { description }]) =>
      description === undefined ? [] : [`${name}: ${description}`],
    ),
  );
  const names = new Set(explanations).values().map((text) => text.split(":")[0] ?? "");
  expect([...names].toSorted()).toEqual([
    ...["category", "context", "cursor", "grace_days", "query", "recurrence", "remind_at"],
  ]);
});

test("exactly the eight tools are there, whatever the token's scopes", () => {
  expect(tools.map(({ name }) => name).toSorted()).toEqual([
    "complete-habit",
    "create-habit",
    "create-todo",
    "delete-todo",
    "get-pending-todos",
    "get-today-habits",
    "toggle-todo",
    "update-todo",
  ]);
});

test("read-only and destructive are hinted as the interface says", () => {
  expect(only("readOnlyHint").toSorted()).toEqual(["get-pending-todos", "get-today-habits"]);
  expect(only("destructiveHint").toSorted()).toEqual([
    "complete-habit",
    "delete-todo",
    "toggle-todo",
    "update-todo",
  ]);
});

test("every tool has a title, all four annotations, strict arguments and an output schema with day and zone", () => {
  for (const { title, annotations, inputSchema, outputSchema } of tools) {
    expect(title).toMatch(/^[A-Z][\w' ]+$/);
    expect(Object.keys(annotations).toSorted()).toEqual([
      "destructiveHint",
      "idempotentHint",
      "openWorldHint",
      "readOnlyHint",
    ]);
    expect(annotations.openWorldHint).toBe(false);
    expect(inputSchema.additionalProperties).toBe(false);
    expect(outputSchema.required).toEqual(["today", "time_zone"]);
  }
});

test("every write takes an idempotency key, and no read does", () => {
  const taking = tools.filter(({ inputSchema }) => "idempotency_key" in inputSchema.properties);
  const writing = tools.filter(({ annotations }) => !annotations.readOnlyHint);
  expect(taking).toEqual(writing);
});

test("descriptions say that a bad habit is completed by having avoided it today", () => {
  for (const name of ["get-today-habits", "create-habit", "complete-habit"]) {
    expect(tools.find((tool) => tool.name === name)?.description).toMatch(/bad.*avoided today/is);
  }
});
