import { expect, test } from "bun:test";
import { join } from "node:path";
import { encode } from "gpt-tokenizer/encoding/cl100k_base";
import { toolList } from "../../api/doors/mcp/tools.ts";
import { root } from "./sources.ts";

const snapshot = join(root, "test/service/mcp/tools/snapshots/tools-list.json");

test("the tool list is the one under snapshots: run with UPDATE_SNAPSHOTS=1 when a change is meant", async () => {
  const text = `${JSON.stringify({ tools: toolList }, null, 2)}\n`;
  if (Bun.env.UPDATE_SNAPSHOTS) await Bun.write(snapshot, text);
  expect(text).toBe(await Bun.file(snapshot).text());
});

/** Hosts show models neither titles nor annotations nor output schemas. */
const asModelsRead = toolList.map(({ name, description, inputSchema }) => ({
  name,
  description,
  input_schema: inputSchema,
}));

test("a model reads at most 1,600 tokens of tools", () => {
  const costs = asModelsRead.map((tool) => encode(JSON.stringify(tool)).length);
  const whole = encode(JSON.stringify(asModelsRead)).length;
  const parts = asModelsRead.map(({ name }, index) => `${name} ${costs[index]}`);
  console.info(`tools/list as a model reads it: ${whole} tokens; ${parts.join(", ")}`);
  expect(whole).toBeLessThanOrEqual(1_600);
});
