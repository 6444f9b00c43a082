import { type TObject, type TProperties, type TSchema, Type } from "typebox";
import { maxAtOnce } from "../../../shared/contracts/group/contracts.ts";
import { Flag, IdempotencyKey } from "../../../shared/contracts/kernel/fields.ts";
import { isObject, parseJson } from "../../http/input/body.ts";
import { givenIn } from "../../http/input/given.ts";
import type { Fields } from "../../http/input/validate.ts";
import type { Tool } from "./tool.ts";

type SchemaNode = TSchema & {
  type?: string;
  items?: SchemaNode;
  properties?: TProperties;
  anyOf?: readonly SchemaNode[];
};

/** The properties of an object, or of all objects that a schema offers. */
export const propertiesOf = ({ properties, anyOf = [] }: SchemaNode): TProperties =>
  Object.assign({}, properties, ...anyOf.map(propertiesOf));

/** Every write takes a key and can be previewed: added here, so that no tool can forget it. */
export const manner = { idempotency_key: Type.Optional(IdempotencyKey), preview: Type.Optional(Flag) };

/** The lists by which a tool names several things. @param item the schema of a thing that is an object */
export function listsOf({ many = {}, arguments: { properties } }: Tool, item: TSchema): TProperties {
  const lists = Object.entries(many).map(([list, each]) => {
    const one: (TSchema & { expects?: string }) | undefined = properties[each ?? ""];
    const expects = `a list of 1 to ${maxAtOnce}${one ? ` that differ, each ${one.expects ?? "valid"}` : ""}`;
    const bounds = { minItems: 1, maxItems: maxAtOnce, uniqueItems: one !== undefined, expects };
    return [list, Type.Optional(Type.Array(one ?? item, bounds))] as const;
  });
  return Object.fromEntries(lists);
}

/** All arguments of a tool, as its list shows them. One that takes lists requires none in each call. */
export function shownArguments(tool: Tool): TObject {
  const { properties } = tool.arguments;
  const all = { ...properties, ...listsOf(tool, tool.arguments), ...(tool.looksAt === undefined && manner) };
  return tool.many ? Type.Partial(Type.Object(all)) : Type.Object(all);
}

/** Names that n8n and Cline add to the arguments of any tool. */
const namesOfHosts = ["toolCallId", "tool", "sessionId", "action", "chatInput", "task_progress"];

/** @returns the given arguments, each as its declared type, without those that a host added */
export function asDeclared({ properties }: TObject, sent: Fields): Fields {
  const isOwn = ([name]: [string, unknown]) =>
    !namesOfHosts.includes(name) || Object.hasOwn(properties, name);
  return readFields(properties, Object.fromEntries(Object.entries(sent).filter(isOwn)));
}

const readFields = (properties: TProperties, fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(givenIn(fields)).map(([name, value]) => {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return [name, schema ? readValue(schema, value) : value];
    }),
  );

/** Hosts may send what is not a text as its JSON, and a list of one as its item. */
function readValue(schema: SchemaNode, value: unknown): unknown {
  const { type = schema.anyOf ? "object" : "string", items } = schema;
  if (type === "string") return value;
  const read = typeof value === "string" ? parseJson(value) : value;
  if (type === "array" && items)
    return (Array.isArray(read) ? read : [value]).map((item) => readValue(items, item));
  if (type === "object") return isObject(read) ? readFields(propertiesOf(schema), read) : value;
  // Only exact text counts: "007" and "1.0" stay texts.
  return typeof read !== "object" && String(read) === value ? read : value;
}
