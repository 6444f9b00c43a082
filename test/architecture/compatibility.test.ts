import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { apiCompare, breaking } from "api-smart-diff";
import { openApiText } from "../service/contract/write-openapi.ts";

type Json = Readonly<Record<string, unknown>>;
type Document = Readonly<{ paths: Json; components: Readonly<{ responses: Json }> }>;
type Difference = Readonly<{ type: string; action: string; path: readonly (string | number)[] }>;

/** The documents of earlier releases, compressed. */
const folder = join(import.meta.dir, "released");
const present: Document = JSON.parse(openApiText());

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null;
const promisesNothing = ["description", "example", "examples", "summary"];

/** Puts schemas in place of references to them, because the tool compares names of references. Words promise nothing. */
function content(document: Document, value: unknown, name = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => content(document, item));
  if (!isObject(value)) return value;
  const { $ref } = value;
  if (typeof $ref === "string")
    return $ref.includes("/responses/") ? {} : content(document, at(document, $ref));
  const kept = Object.entries(value).filter(
    ([key]) => name === "properties" || !promisesNothing.includes(key),
  );
  return Object.fromEntries(kept.map(([key, part]) => [key, content(document, part, key)]));
}

const at = (document: Document, $ref: string): unknown =>
  $ref
    .slice("#/".length)
    .split("/")
    .reduce<unknown>((part, key) => (isObject(part) ? part[key] : undefined), document);

/** All operations. Refusals, which many of them share, are compared once. */
const comparable = (document: Document) => ({
  openapi: "3.1.0",
  info: { title: "Kept", version: "1" },
  paths: content(document, {
    ...document.paths,
    "/refusals": { get: { responses: document.components.responses } },
  }),
});

/** An answer may get more values and an operation fewer refusals: docs/compatibility.md asks clients to allow for it. */
function isAllowed({ action, path }: Difference): boolean {
  const [, , , part, status = ""] = path;
  if (part !== "responses") return false;
  if (action === "add") return path.at(-2) === "enum";
  return action === "remove" && path.length === 5 && !/^2/.test(String(status));
}

/** Kept refuses unknown fields, so a request loses none, which the tool would let pass. */
const breaks = ({ type, action, path }: Difference): boolean =>
  type === breaking || (action === "remove" && ["properties", "parameters"].includes(String(path.at(-2))));

/** The places of a document at which clients of an earlier one break. */
function brokenPlaces(earlier: Document, later: Document): string[] {
  const { diffs } = apiCompare(comparable(earlier), comparable(later));
  const all: readonly Difference[] = diffs;
  return all
    .filter((one) => breaks(one) && !isAllowed(one))
    .map(({ action, path }) => `${action} ${path.join(" ")}`);
}

test.each(readdirSync(folder))("clients of the release in %s still work", async (file) => {
  const text = new TextDecoder().decode(Bun.gunzipSync(await readFile(join(folder, file))));
  expect(brokenPlaces(JSON.parse(text), present)).toEqual([]);
});

const field = (name: string) => `requestBody content application/json schema ${name}`;
const answer = "responses 201 content application/json schema";
const schema = (document: Document, name: string) =>
  at(document, `#/components/schemas/${name}`) as { properties: Record<string, object>; required: string[] };

test.each<[string, (document: Document) => void, string]>([
  [
    "a route is gone",
    ({ paths }) => delete (paths as Record<string, unknown>)["/me"],
    "remove paths /me get",
  ],
  [
    "a field of a request becomes required",
    (document) => schema(document, "CreateTodoRequest").required.push("due_date"),
    `add paths /todos post ${field("required 1")}`,
  ],
  [
    "a field of a request is gone",
    (document) => delete schema(document, "CreateTodoRequest").properties.context,
    `remove paths /todos post ${field("properties context")}`,
  ],
  [
    "a parameter is gone",
    ({ paths }) => (paths["/todos"] as { get: { parameters: object[] } }).get.parameters.shift(),
    "remove paths /todos get parameters 0",
  ],
  [
    "a field of an answer is gone",
    (document) => delete schema(document, "Category").properties.icon,
    `remove paths /categories post ${answer} properties icon`,
  ],
  [
    "a request takes fewer values",
    (document) => Object.assign(schema(document, "HabitType"), { enum: ["good"] }),
    `remove paths /habits post ${field("properties type enum 1")}`,
  ],
])("the comparison finds it when %s", (_, change, place) => {
  const named = ["/me", "/todos", "/habits", "/categories"];
  const few = {
    ...present,
    paths: Object.fromEntries(named.map((path) => [path, present.paths[path]])),
  };
  const later = structuredClone(few);
  change(later);
  expect(brokenPlaces(few, later)).toContain(place);
});
