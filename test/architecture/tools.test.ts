import { expect, test } from "bun:test";
import { join } from "node:path";
import { encode } from "gpt-tokenizer/encoding/cl100k_base";
import { tools } from "../../api/doors/mcp/tools/index.ts";
import { toolList } from "../../api/doors/mcp/tools.ts";
import type { JsonBody } from "../harness.ts";
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

test("a model reads at most 2,200 tokens of tools", () => {
  const costs = asModelsRead.map((tool) => encode(JSON.stringify(tool)).length);
  const whole = encode(JSON.stringify(asModelsRead)).length;
  const parts = asModelsRead.map(({ name }, index) => `${name} ${costs[index]}`);
  console.info(`tools/list as a model reads it: ${whole} tokens; ${parts.join(", ")}`);
  expect(whole).toBeLessThanOrEqual(2_200);
});

/** Keywords that each takes, by its public documents of function calling (strict mode, subset of JSON Schema, input_schema). */
const takenBy = {
  openai: "type properties required additionalProperties items enum description minimum maximum pattern",
  gemini:
    "type properties required additionalProperties items enum description minimum maximum title nullable",
  anthropic:
    "type properties required additionalProperties items enum description minimum maximum title default",
};

/** The places at which a schema has what one of the hosts refuses or empties. */
function refusedIn(schema: JsonBody, place: string): string[] {
  const { type, properties, items, enum: words, additionalProperties, required = [] } = schema;
  const untaken = Object.values(takenBy).flatMap((words) =>
    Object.keys(schema).filter((keyword) => !words.split(" ").includes(keyword)),
  );
  const isObject = type === "object";
  const problems: readonly (readonly [boolean, string])[] = [
    [untaken.length > 0, `has ${untaken}`],
    [!["object", "array", "string", "integer", "number", "boolean"].includes(type), "has no single type"],
    [isObject && Object.keys(properties ?? {}).length === 0, "is an object without properties"],
    [isObject && additionalProperties !== false, "is an open object"],
    [required.some((name: string) => !Object.hasOwn(properties ?? {}, name)), "requires what it has not"],
    [(type === "array") !== (items !== undefined), "is a list without items, or items without a list"],
    [words?.some((word: unknown) => typeof word !== "string" || word === ""), "has an empty word"],
  ];
  return [
    ...problems.flatMap(([isWrong, what]) => (isWrong ? [`${place} ${what}`] : [])),
    ...Object.entries<JsonBody>(properties ?? {}).flatMap(([name, one]) =>
      refusedIn(one, `${place}.${name}`),
    ),
    ...(items ? refusedIn(items, `${place}[]`) : []),
  ];
}

test("OpenAI's strict mode, Gemini and Anthropic take each schema of arguments, nested ones too", () => {
  expect(toolList.flatMap(({ name, inputSchema }) => refusedIn(inputSchema, name))).toEqual([]);
  expect(toolList.map(({ name }) => name).filter((name) => !/^[a-z-]{1,64}$/.test(name))).toEqual([]);
  const bare = { type: "object", properties: { at: { type: "string", format: "date" }, of: { anyOf: [] } } };
  expect(refusedIn(bare, "x").length).toBeGreaterThan(3);
});

test("the tools that read, and no others, have names in get-, by which the log knows reads", () => {
  const reading = tools.filter(({ looksAt }) => looksAt !== undefined).map(({ name }) => name);
  expect(tools.map(({ name }) => name).filter((name) => name.startsWith("get-"))).toEqual(reading);
});

const explained = new Set<string>();
const saidOnce = (name: string, words: readonly unknown[]) =>
  words.length === 0 || explained.has(name) || !explained.add(name) ? "" : ` (${words.join(", ")})`;

/** A line of docs/mcp.md for each tool: scopes, arguments, their words where they first appear, and facts. */
const documented = toolList.map(({ name, inputSchema: { properties, required } }) => {
  const { scopes = [], argumentScopes = {}, facts } = tools.find((tool) => tool.name === name) ?? {};
  const own = Object.entries<JsonBody>(properties).filter(
    ([one]) => !/^(idempotency_key|preview)$/.test(one),
  );
  const said = own.map(([one, { enum: words = [], minimum, maximum }]) => {
    const bounds = minimum === undefined ? [] : [`${minimum}–${maximum}`];
    const all = [...words, ...bounds, ...(argumentScopes[one] ? [argumentScopes[one]] : [])];
    return `${one}${new Set<string>(required).has(one) ? "" : "?"}${saidOnce(one, all)}`;
  });
  const answers = Object.keys(facts?.properties ?? {}).map((fact) => `\`${fact}\``);
  return `- **${name}** (${scopes}): ${said.join(", ")} → ${answers.join(", ")}\n`;
});

test("docs/mcp.md lists each tool as it is declared: run with UPDATE_SNAPSHOTS=1 when a change is meant", async () => {
  const page = join(root, "docs/mcp.md");
  const text = await Bun.file(page).text();
  const [before = "", , after = ""] = text.split(/<!-- tools.*-->\n|<!-- end of tools -->\n/);
  const made = `${before}<!-- tools: made from api/doors/mcp/tools -->\n${documented.join("")}<!-- end of tools -->\n${after}`;
  if (Bun.env.UPDATE_SNAPSHOTS) await Bun.write(page, made);
  expect(text).toBe(Bun.env.UPDATE_SNAPSHOTS ? text : made);
});
