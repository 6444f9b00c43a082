import { describe, expect, test } from "bun:test";
import * as present from "@modelcontextprotocol/client";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { useStack } from "../../harness.ts";

const stack = await useStack();
const url = new URL(`${stack.config.baseUrl}/mcp`);
const identity = { name: "test agent", version: "1" };

const requestInit = async () => ({
  headers: { authorization: `Bearer ${await stack.issuer.token({ sub: crypto.randomUUID() })}` },
});

async function connectPresent(mode: present.VersionNegotiationMode): Promise<present.Client> {
  const client = new present.Client(identity, { versionNegotiation: { mode } });
  await client.connect(new present.StreamableHTTPClientTransport(url, { requestInit: await requestInit() }));
  return client;
}

async function connectLegacy(): Promise<present.Client> {
  const client = new LegacyClient(identity);
  const transport = new LegacyTransport(url, { requestInit: await requestInit() });
  // Its own types do not agree under exactOptionalPropertyTypes.
  await client.connect(transport as never);
  return client as unknown as present.Client;
}

const clients: [string, () => Promise<present.Client>][] = [
  ["client 2.x, auto", () => connectPresent("auto")],
  ["client 2.x, legacy", () => connectPresent("legacy")],
  ["client 2.x, pinned to 2026-07-28", () => connectPresent({ pin: "2026-07-28" })],
  ["sdk 1.32", connectLegacy],
];

async function createHabit(agent: present.Client): Promise<number> {
  const { structuredContent } = await agent.callTool({ name: "create-habit", arguments: { name: "Read" } });
  return (structuredContent as { habit: { id: number } }).habit.id;
}

describe.each(clients)("%s", (_, connect) => {
  test("lists the tools and makes a day's round: every answer passes the client's own schema check", async () => {
    const agent = await connect();
    expect((await agent.listTools()).tools).toHaveLength(10);
    const id = await createHabit(agent);
    await agent.callTool({ name: "complete-habit", arguments: { habit_id: id } });
    const due = await agent.callTool({ name: "get-today-habits", arguments: {} });
    expect(due.structuredContent).toMatchObject({
      habits: [{ id, streak_count: 1, is_completed_today: true }],
    });
    const todo = await agent.callTool({ name: "create-todo", arguments: { title: "Water" } });
    const { id: todo_id } = (todo.structuredContent as { todo: { id: number } }).todo;
    await agent.callTool({ name: "update-todo", arguments: { todo_id, due_date: "2030-01-01" } });
    const pending = await agent.callTool({ name: "get-pending-todos", arguments: {} });
    expect(pending.structuredContent).toMatchObject({ todos: [{ id: todo_id, due_date: "2030-01-01" }] });
    await agent.callTool({ name: "toggle-todo", arguments: { todo_id, completed: true } });
    const gone = await agent.callTool({ name: "delete-todo", arguments: { todo_id } });
    expect(gone.structuredContent).toMatchObject({ deleted_todo_id: todo_id });
    await agent.close();
  });

  test("lists and gets the prompts, lists and reads the resources", async () => {
    const agent = await connect();
    const { prompts } = await agent.listPrompts();
    for (const { name } of prompts) expect((await agent.getPrompt({ name })).messages).toHaveLength(1);
    const { resources } = await agent.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(["kept://today"]);
    const day = await agent.readResource({ uri: "kept://today" });
    expect(day.contents).toMatchObject([{ uri: "kept://today", text: expect.stringContaining("Today is ") }]);
    const { resourceTemplates } = await agent.listResourceTemplates();
    const id = await createHabit(agent);
    const uri = resourceTemplates[0]?.uriTemplate.replace("{id}", String(id)) ?? "";
    const read = await agent.readResource({ uri });
    expect(read.contents).toMatchObject([{ text: expect.stringContaining(`#${id} "Read"`) }]);
    await agent.close();
  });

  test("a refusal arrives as a result to act on, an unknown tool or resource as a protocol error", async () => {
    const agent = await connect();
    await agent.listTools();
    await expect(agent.readResource({ uri: "kept://habits/987654" })).rejects.toThrow("not found");
    const refused = await agent.callTool({ name: "complete-habit", arguments: { habit_id: 987_654 } });
    expect(refused).toMatchObject({ isError: true, structuredContent: { code: "not_found" } });
    await expect(agent.callTool({ name: "launch-rocket", arguments: {} })).rejects.toThrow("Unknown tool");
    await agent.close();
  });
});
