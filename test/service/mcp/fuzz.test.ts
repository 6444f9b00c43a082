import { expect, test } from "bun:test";
import fc from "fast-check";
import { contracts } from "../../../shared/contracts/catalogue.ts";
import { useStack } from "../../harness.ts";
import { post } from "../../support/mcp.ts";
import { fuzzTimeoutMs, holdsForAll, oddValue, whenNotBusy } from "../../support/odd-values.ts";

const stack = await useStack();
const token = await stack.issuer.token();

const ofObjects = Object.getOwnPropertyNames(Object.prototype);
const toolNames = contracts.flatMap(({ mcp }) => (mcp ? [mcp.name] : []));
const fieldNames = contracts.flatMap(({ input }) => Object.keys(input.properties));
const ofTools = [
  ...["clear", "completed", "idempotency_key", "todos", "todo_ids", "habit_ids", "dates"],
  ...["set", "delete", "undo", "rename_category"],
];

const name = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...toolNames) },
  fc.constantFrom(...ofObjects, "", "tools/call"),
  fc.string({ unit: "binary", maxLength: 300 }),
);
const args = fc.oneof(
  fc.dictionary(fc.constantFrom(...fieldNames, ...ofObjects, ...ofTools), oddValue, {
    maxKeys: 5,
  }),
  oddValue,
);
const uri = fc.oneof(
  fc.constantFrom("kept://today", "kept://habits/1", "kept://habits/"),
  fc.string({ unit: "binary", maxLength: 300 }).map((text) => `kept://habits/${text}`),
  oddValue,
);
const call = fc.record({ name, arguments: args }, { requiredKeys: ["name"] });
const method = fc.constantFrom(
  ...["tools/call", "tools/list", "initialize", "ping", "resources/read", "constructor", ""],
);
const message = fc.oneof(
  { weight: 4, arbitrary: call.map((params) => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params })) },
  fc
    .record({ uri, name: oddValue, arguments: oddValue }, { requiredKeys: [] })
    .chain((params) =>
      fc
        .constantFrom("resources/read", "prompts/get")
        .map((method) => ({ jsonrpc: "2.0", id: 1, method, params })),
    ),
  fc.record(
    { jsonrpc: oddValue, id: oddValue, method: fc.oneof(method, oddValue), params: oddValue },
    { requiredKeys: [] },
  ),
);
const header = fc.dictionary(
  fc.constantFrom("mcp-protocol-version", "mcp-session-id", "accept", "last-event-id", "origin"),
  fc.constantFrom("", "2025-06-18", "2026-07-28", "1999-01-01", "*/*", "null", "http://localhost", "-1"),
  { maxKeys: 2 },
);

test(
  "no message and no tool call makes a 5xx or a fault of the service",
  () =>
    holdsForAll(fc.tuple(message, header), 250, async ([message, headers]) => {
      const { status, body } = await whenNotBusy(() => post(stack, message, { token, headers }));
      expect(status).toBeLessThan(500);
      expect(body?.result?.structuredContent?.code).not.toBe("internal");
      expect(body?.error?.code).not.toBe(-32_603);
    }),
  fuzzTimeoutMs,
);
