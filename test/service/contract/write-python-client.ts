import { join } from "node:path";
import { openApiCopy } from "./write-openapi.ts";

/** The Python client, made from the committed OpenAPI document and a template with all that needs no document. */
export const pythonClient = join(import.meta.dir, "../../../api/client/python/kept.py");
const template = join(import.meta.dir, "python-client.py");

type Schema = Readonly<{
  $ref?: string;
  type?: string;
  enum?: readonly string[];
  const?: unknown;
  anyOf?: readonly Schema[];
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  additionalProperties?: Schema | boolean;
  required?: readonly string[];
  description?: string;
}>;
type Parameter = Readonly<{ $ref?: string; name: string; in: string; schema: Schema }>;
type Content = Readonly<{ content?: Readonly<{ "application/json": Readonly<{ schema: Schema }> }> }>;
type Operation = Readonly<{
  operationId: string;
  summary: string;
  parameters?: readonly Parameter[];
  requestBody?: Content;
  responses: Readonly<Record<string, Content>>;
}>;
type Document = Readonly<{
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components: Readonly<{ schemas: Readonly<Record<string, Schema>> }>;
}>;

const widest = 120;
const scalars: Readonly<Record<string, string>> = {
  string: "str",
  integer: "int",
  number: "float",
  boolean: "bool",
  null: "None",
};

export async function pythonText(): Promise<string> {
  const document: Document = await Bun.file(openApiCopy).json();
  const operations = operationsOf(document);
  const schemas = usedSchemas(document, operations);
  const parts: Readonly<Record<string, string>> = {
    types: typesOf(schemas),
    operations: operations.map((operation) => operationText(operation, document)).join("\n\n"),
  };
  return (await Bun.file(template).text()).replace(/^ *# \{\{(\w+)\}\}$/gm, (_, name) => parts[name] ?? "");
}

type Route = Readonly<{ method: string; path: string; operation: Operation }>;

const operationsOf = ({ paths }: Document): readonly Route[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.operationId !== undefined)
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

const nameIn = ($ref: string): string => $ref.slice($ref.lastIndexOf("/") + 1);
const schemaOf = (content: Content | undefined): Schema | undefined =>
  content?.content?.["application/json"]?.schema;
const answerOf = ({ responses }: Operation): Schema | undefined =>
  schemaOf(responses[200]) ?? schemaOf(responses[201]);

/** The things of a list that has pages; undefined for any other answer. */
function itemOf(operation: Operation, { schemas }: Document["components"]): Schema | undefined {
  const { properties } = schemas[nameIn(answerOf(operation)?.$ref ?? "")] ?? {};
  return properties?.links && properties.data?.items;
}

/** The schemas that operations reach, and the one of a request that waits. */
function usedSchemas({ components }: Document, operations: readonly Route[]): ReadonlyMap<string, Schema> {
  const names = new Set(["WaitingRequest"]);
  const note = (value: unknown) => {
    for (const [, name = ""] of JSON.stringify(value ?? null).matchAll(/#\/components\/schemas\/(\w+)/g))
      names.add(name);
  };
  for (const { operation } of operations)
    note([
      itemOf(operation, components) ?? answerOf(operation),
      schemaOf(operation.requestBody),
      operation.parameters,
    ]);
  for (const name of names) note(components.schemas[name]);
  return new Map(
    [...names].toSorted().flatMap((name) => {
      const schema = components.schemas[name];
      return schema ? [[name, schema] as const] : [];
    }),
  );
}

const isRecord = ({ properties = {} }: Schema): boolean => Object.keys(properties).length > 0;
/** Every other schema is written out where it is used. */
const isNamed = (schema: Schema): boolean =>
  isRecord(schema) || schema.enum !== undefined || schema.anyOf !== undefined;

/** Unions come last, because Python makes them when it reads them. */
function typesOf(schemas: ReadonlyMap<string, Schema>): string {
  const named = [...schemas].filter(([, schema]) => isNamed(schema));
  const alias = ([name, schema]: readonly [string, Schema]) =>
    wrapped(`${name} = ${pythonType({ ...schema, $ref: "" }, schemas)}`);
  const records = new Map<string, string>();
  const classes = named
    .filter(([, schema]) => isRecord(schema))
    .map(([name, schema]) => {
      const fields = fieldsOf(schema, schemas);
      const same = records.get(fields);
      records.set(fields, same ?? name);
      return same === undefined
        ? `class ${name}(TypedDict${totalOf(schema)}):\n${fields}`
        : `${name} = ${same}`;
    });
  return [
    named
      .filter(([, schema]) => schema.enum)
      .map(alias)
      .join("\n"),
    ...classes,
    named
      .filter(([, schema]) => schema.anyOf && !isRecord(schema))
      .map(alias)
      .join("\n"),
  ].join("\n\n\n");
}

const isIgnored = ({ $ref = "" }: Schema): boolean => nameIn($ref) === "Ignored";

const hasOptional = ({ properties = {}, required = [] }: Schema): boolean =>
  Object.entries(properties).some(([name, schema]) => !isIgnored(schema) && !required.includes(name));
const totalOf = (schema: Schema): string => (hasOptional(schema) ? ", total=False" : "");

function fieldsOf(schema: Schema, schemas: ReadonlyMap<string, Schema>): string {
  const { properties = {}, required = [], description } = schema;
  const fields = Object.entries(properties)
    .filter(([, property]) => !isIgnored(property))
    .map(([name, property]) => {
      const type = pythonType(property, schemas);
      const isMarked = hasOptional(schema) && required.includes(name);
      return commented(`    ${name}: ${isMarked ? `Required[${type}]` : type}`, meaningOf(property, schemas));
    });
  return [...(description ? [`    """${description}."""\n`] : []), ...fields].join("\n");
}

/** The description of a field, or else that of its type, unless it is a class of its own. */
function meaningOf(property: Schema, schemas: ReadonlyMap<string, Schema>): string | undefined {
  const [{ description, $ref = "" } = property] = [property, ...(property.anyOf ?? [])].filter(
    (schema) => schema.description || schema.$ref,
  );
  const named = schemas.get(nameIn($ref));
  return description ?? (named && !isNamed(named) ? named.description : undefined);
}

/** A comment beside the code, or above it where the line would be too long. */
function commented(code: string, comment: string | undefined): string {
  if (comment === undefined) return code;
  const beside = `${code}  # ${comment}`;
  return beside.length <= widest ? beside : `${filled("    # ", comment)}\n${code}`;
}

function filled(lead: string, text: string): string {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && longer.length <= widest) lines[lines.length - 1] = longer;
    else lines.push(`${lead}${word}`);
  }
  return lines.join("\n");
}

function pythonType(schema: Schema, schemas: ReadonlyMap<string, Schema>): string {
  const { $ref, type, items, anyOf, additionalProperties } = schema;
  const target = $ref ? schemas.get(nameIn($ref)) : undefined;
  if ($ref && target) return isNamed(target) ? nameIn($ref) : pythonType(target, schemas);
  if (schema.enum) return `Literal[${schema.enum.map((value) => JSON.stringify(value)).join(", ")}]`;
  if (schema.const !== undefined) return `Literal[${JSON.stringify(schema.const)}]`;
  if (anyOf) return [...new Set(anyOf.map((one) => pythonType(one, schemas)))].join(" | ");
  if (items) return `list[${pythonType(items, schemas)}]`;
  if (typeof additionalProperties === "object")
    return `dict[str, ${pythonType(additionalProperties, schemas)}]`;
  if (type === "object") return "dict[str, Any]";
  return scalars[type ?? ""] ?? "Any";
}

/** A list has every thing of all pages; so it needs no number of a page. */
function operationText({ method, path, operation }: Route, { components }: Document): string {
  const schemas = new Map(Object.entries(components.schemas));
  const { operationId, summary, parameters = [], requestBody } = operation;
  const answer = answerOf(operation);
  const item = itemOf(operation, components);
  const ids = parameters.filter((parameter) => parameter.in === "path");
  const filters = parameters.filter(({ in: place, name }) => place === "query" && !(item && name === "page"));
  const body = schemaOf(requestBody);
  const signature = [
    "self",
    ...ids.map(({ name, schema }) => `${name}: ${pythonType(schema, schemas)}`),
    ...(filters.length > 0 || method !== "GET" ? ["*"] : []),
    ...filters.map(({ name, schema }) => `${argument(name)}: ${pythonType(schema, schemas)} | None = None`),
    ...(method === "GET" ? [] : ["idempotency_key: str | None = None"]),
    ...(body ? [`**fields: Unpack[${pythonType(body, schemas)}]`] : []),
  ];
  const given = filters.map(({ name }) => `"${name}": ${argument(name)}`);
  const query = `{${[...given, ...(item ? ['"page": page'] : [])].join(", ")}}`;
  const address = `${ids.length > 0 ? "f" : ""}"${path}"`;
  const others = [
    ...(query === "{}" ? [] : [query]),
    ...(body ? ["body=fields"] : []),
    ...(method === "GET" ? [] : ["key=idempotency_key"]),
  ];
  const call = `self._call(${[`"${method}"`, address, ...others].join(", ")})`;
  const result = item
    ? `Iterator[${pythonType(item, schemas)}]`
    : answer
      ? pythonType(answer, schemas)
      : "None";
  const statement = item ? `return self._every(lambda page: ${call})` : answer ? `return ${call}` : call;
  return [
    wrapped(`    def ${snake(operationId)}(${signature.join(", ")}) -> ${result}:`),
    filled("        ", `"""${summary}."""`),
    wrapped(`        ${statement}`),
  ].join("\n");
}

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
/** `from` is a word of Python. */
const argument = (name: string): string => (name === "from" ? "from_" : name);

/** Breaks a long line after its first bracket, and again between arguments. */
function wrapped(line: string): string {
  if (line.length <= widest) return line;
  const indent = /^ */.exec(line)?.[0] ?? "";
  const open = line.search(/[([]/) + 1;
  const close = line.includes(") -> ") ? line.lastIndexOf(") -> ") : line.search(/[)\]]$/);
  const inner = filled(`${indent}    `, line.slice(open, close));
  return `${line.slice(0, open)}\n${inner}\n${indent}${line.slice(close)}`;
}

/** The last part of `npm run openapi` */
if (import.meta.main) await Bun.write(pythonClient, await pythonText());
