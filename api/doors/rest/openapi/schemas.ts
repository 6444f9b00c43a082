import type { TSchema } from "typebox";
import { categoryFields } from "../../../../shared/contracts/category/fields.ts";
import { habitFields } from "../../../../shared/contracts/habit/fields.ts";
import type { DeclaredFields } from "../../../../shared/contracts/kernel/declared-fields.ts";
import { todoFields } from "../../../../shared/contracts/todo/fields.ts";

export type JsonSchema = Readonly<{
  $ref?: string;
  type?: string;
  format?: string;
  description?: string;
  enum?: readonly string[];
  const?: unknown;
  anyOf?: readonly JsonSchema[];
  items?: JsonSchema;
  properties?: SchemaFields;
  additionalProperties?: JsonSchema | false;
  required?: readonly string[];
  [word: string]: unknown;
}>;

export type SchemaFields = Readonly<Record<string, JsonSchema>>;

export type ComponentRef = Readonly<{ $ref: string }>;

export type Parameter = Readonly<{
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description?: string | undefined;
  schema: JsonSchema;
  example?: unknown;
}>;

type Content = Readonly<{
  schema: JsonSchema;
  examples: Readonly<Record<string, Readonly<{ value: unknown }>>>;
}>;

export type JsonContent = Readonly<{ "application/json": Content; "application/problem+json"?: Content }>;
export type StreamContent = Readonly<{ "text/event-stream": Content }>;

export type RequestBody = Readonly<{ required: boolean; content: JsonContent }>;

export type Answer = Readonly<{
  description: string;
  headers: Readonly<Record<string, ComponentRef>>;
  content?: JsonContent | StreamContent;
}>;

export type Operation = Readonly<{
  operationId: string;
  tags: readonly string[];
  summary: string;
  description: string;
  security: readonly object[];
  parameters: readonly (Parameter | ComponentRef)[];
  requestBody?: RequestBody;
  responses: Readonly<Record<string, Answer | ComponentRef>>;
}>;

type SchemaNode = TSchema & {
  title?: string;
  description?: string;
  expects?: string;
  type?: string;
  format?: string;
  enum?: readonly string[];
  anyOf?: readonly SchemaNode[];
  items?: SchemaNode;
  properties?: Readonly<Record<string, SchemaNode>>;
  patternProperties?: Readonly<Record<string, SchemaNode>>;
};

export type Schemas = ReturnType<typeof createSchemas>;

/** Turns contracts' schemas into the document's, and collects those that have a name. */
export function createSchemas() {
  const all = new Map<string, JsonSchema>();

  /** Names a schema of the document's own. @returns a reference to it */
  function name(title: string, schema: JsonSchema): ComponentRef {
    const known = all.get(title);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`Two schemas are called ${title}.`);
    all.set(title, schema);
    return { $ref: `#/components/schemas/${title}` };
  }

  /** A schema by reference if it has a name, else as it is. */
  function show(schema: SchemaNode): JsonSchema {
    const shown = plain(schema, { show, properties });
    return schema.title === undefined ? shown : name(schema.title, shown);
  }

  /** The properties of a schema of this name, each with its meaning. */
  const properties = (owner: string, parts: Readonly<Record<string, SchemaNode>>): SchemaFields =>
    Object.fromEntries(
      Object.entries(parts).map(([name, part]) => [
        name,
        withMeaning(show(part), ownWords(part), meaningOf(owner, name)),
      ]),
    );

  return {
    show,
    name,
    properties,
    /** Every named schema so far, in alphabetical order. */
    named: () =>
      Object.fromEntries([...all].toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))),
  };
}

/** Formats that every validator knows. Kept's own formats are rules for text, which `description` states. */
const commonFormats = ["date", "date-time", "email"];

/** A schema without keywords that only Kept's validation reads, such as `expects`. */
function plain(
  schema: SchemaNode,
  { show, properties: showAll }: Pick<Schemas, "show" | "properties">,
): JsonSchema {
  const { title, expects, format, anyOf, items, properties, patternProperties, ...rest } = schema;
  const [anyValue] = Object.values(patternProperties ?? {});
  return {
    ...(rest.enum && { type: "string" }),
    ...describe(schema),
    ...rest,
    ...(format !== undefined && commonFormats.includes(format) && { format }),
    ...(anyOf && { anyOf: anyOf.map(show) }),
    ...(items && { items: show(items) }),
    ...(properties && { properties: showAll(title ?? "", properties) }),
    ...(anyValue && { additionalProperties: show(anyValue) }),
  };
}

/** The demand on a field, in the words of the refusal. The values of an enum need no words. */
function describe({ title, expects, anyOf, ...schema }: SchemaNode): JsonSchema {
  if (expects === undefined || schema.enum || (anyOf && title === undefined)) return {};
  return { description: capitalised(expects) };
}

export const capitalised = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** The description of a schema without a name, or of its values beside null. */
const ownWords = ({ title, description, anyOf: [first] = [] }: SchemaNode): string | undefined =>
  title === undefined ? (description ?? (first && ownWords(first))) : undefined;

/** A property's own description says its meaning. The demand on its value comes after that of its name. */
function withMeaning(shown: JsonSchema, own: string | undefined, meaning: string | undefined): JsonSchema {
  const words = own ? [own] : [meaning, shown.description].filter((text) => text !== undefined);
  return words.length > 0 ? { ...shown, description: words.join(". ") } : shown;
}

/**
 * The meanings of properties and parameters that are no declared fields and say none in their schema. A name means the
 * same everywhere; where it does not, the name of its schema comes first.
 */
export const meanings: Readonly<Record<string, string>> = {
  activity_strip: "The last 14 days of the user with the number of habits and todos done on each",
  after: "The fields afterwards; null for a deleted thing",
  amount: "How much to add to the day, or its sum in an answer; in the habit's unit",
  amount_today: "Today's sum in the habit's unit; null for a habit without a target",
  answer: "The answer of the request once it was approved, as it would have come at once",
  applied: "Whether a change may have happened: no, or unknown",
  approval_id: "The id of a request that waits, or waited, for approval",
  approve_at: "The page where the person decides",
  atomic: "True: all operations are done, or none",
  attempts: "The attempts so far",
  before: "The fields as they are now; null for a new thing",
  body: "The JSON body that the operation would have as a request of its own",
  category: "The category of the thing; null without one",
  "Rules.category": "The only category whose things the token may change; null for all",
  category_id: "The id of one of the user's categories; null for none",
  changes: "Each thing that the request would change",
  changes_left: "The changes that remain today; null without a bound",
  changes_per_day: "The changes that the token may make each day; null without a bound",
  client_name: "The name of the app or token that asks",
  code: "The reason for programs, from this closed list",
  completed_today: "The habits that are done today, among those due",
  "query.completed_today": "Only habits that are done today, or only those that are not",
  completions_count: "The number of days on which the habit was ever done",
  created_at: "The moment at which it was made",
  current_page: "The number of this page",
  cursor: "The next_cursor of the answer before; without one, everything comes",
  data: "The things of this page or answer, in order",
  "WebhookEvent.data": "The thing as GET /changes shows it",
  date: "The day of the user that is meant",
  decided_at: "The moment of the person's decision; null before",
  deleted: "True when the thing is gone, and resource is null",
  deletions_left: "The deletions that remain today; null without a bound",
  deletions_per_day: "The deletions that the token may make each day; null without a bound",
  delivery_id: "The id of a delivery",
  detail: "A sentence for people, with the next step",
  disabled_at: "The moment at which it was switched off because posts failed for days; null otherwise",
  done_since: "Only todos that were completed on this day or later",
  due: "Only things that are due then",
  due_from: "Only todos that are due on this day or later",
  due_to: "Only todos that are due on this day or earlier",
  error: "The reason why the last attempt failed; null without one",
  errors: "The reasons by the name of the field",
  events: "The events that are posted",
  every_days: "The days from one completion to the next due day",
  expires_at: "The moment at which a request that nobody decided ends",
  failing_since: "The moment since which posts fail; null while they arrive",
  finished_at: "The moment at which it arrived or was given up; null before",
  first: "The address of the first page",
  from: "The first day of the period",
  habit: "The habit that the words mean; null if they mean a todo",
  habit_id: "The id of a habit",
  habits: "The habits that are due today",
  has_more: "True when more changes follow next_cursor at once",
  has_reminder: "Only todos that have a reminder, or only those without",
  id: "The id of the thing",
  idempotency_key: "The same key with the same operation answers the first outcome again",
  is_completed_today: "True when the habit is done today; for a bad habit, when it was avoided",
  is_overdue: "True for an incomplete todo whose due date or due time has passed for the user",
  kind: "The kind of the thing",
  last: "The address of the last page",
  last_page: "The number of the last page",
  limit: "The requests that the token may make in a minute",
  line: "The words to read, such as water the plants every Monday",
  links: "The addresses of the other pages, with the filters of this one",
  longest_streak: "The longest streak that the habit ever had",
  message: "A sentence for people, with the next step",
  meta: "The place of this page in the list",
  method: "The method that the operation would have as a request of its own",
  next: "The address of the next page; null on the last",
  next_attempt_at: "The moment of the next attempt",
  next_cursor: "The cursor for the next request, which then lists what changed since this one",
  next_todo_id: "The todo that follows a completed repeating one; null without one",
  note: "Words on the completed day; null without any",
  operations: "The changes, in order",
  page: "The number of the page",
  pending_todos: "The number of incomplete todos",
  per_page: "The most things of a page",
  prev: "The address of the page before; null on the first",
  preview: "True: nothing was changed",
  q: "Words that the name or title, the notes or the context must have, in any order",
  rate_limit: "The limit of the token's requests; null where it is turned off",
  reaches: "The channel to which its reminders go; null without a reminder",
  recent_amounts: "The sums of today and of the days that can still change, the newest first",
  remaining: "The requests that remain in this minute",
  "AlternativeInWords.remind_at": "The time for PUT /todos/{todo_id}/reminder, or a habit's time of day",
  "Reminder.remind_at": "The moment at which it rings",
  "SetReminderRequest.remind_at": "The moment, with an offset or as wall time in the user's zone",
  reminder: "The reminder of the todo; null without one",
  reminders_reach: "The channel to which the person's reminders go",
  resource: "The thing as it is now; null when it is deleted",
  results: "The answer of each operation, in the order of the request",
  rules: "The person's rules for this token; null without any",
  scopes: "The permissions of the token",
  skipped_dates: "The days on which the habit is not due, because the person skips them",
  state: "How far the request for approval has come",
  stats: "Numbers over all habits and todos",
  status: "Only todos in this state",
  "Problem.status": "The HTTP status",
  "BatchResult.status": "The HTTP status that the operation would have answered alone",
  "Reminder.status": "How far the reminder has come",
  "WebhookDelivery.status": "How far the delivery has come",
  streak_alive_through:
    "The last day through which the streak lives without another completion; null without one",
  streak_count: "The completions in a row, with misses that grace days forgive",
  subject: "The kind of the thing; due_todo and due_habit are reminders",
  thing_id: "The id of the thing",
  time_zone: "The user's time zone, such as Europe/Berlin",
  times_per_week: "The days on which it is to be done in each week from Monday on",
  timestamp: "The moment of the attempt",
  "Problem.title": "The status in words",
  to: "The last day of the period",
  today: "The user's day",
  todo: "The todo that the words mean; null if they mean a habit",
  todo_id: "The id of a todo",
  todos: "The incomplete todos, at most 100",
  total: "The number of things on all pages",
  total_habits: "The number of habits",
  total_streak: "The sum of all streaks",
  "Problem.type": "Always about:blank: code has the reason",
  "CategoryChange.type": "The kind of the thing",
  "HabitChange.type": "The kind of the thing",
  "TodoChange.type": "The kind of the thing",
  "WebhookEvent.type": "The event",
  updated_at: "The moment at which it was last changed",
  url: "The address to which events are posted",
  wait: "The most seconds to wait for a change when there is none",
  webhook_id: "The id of a webhook",
  weekdays: "The days of the week on which it is due; 1 is Monday",
};

const declaredMeanings = (fields: DeclaredFields) =>
  Object.entries(fields).flatMap(([name, { meaning, hint }]) => {
    const said = meaning ?? hint;
    return said === undefined ? [] : [[name, said] as const];
  });

const declared: Readonly<Record<string, string>> = Object.fromEntries(
  [categoryFields, habitFields, todoFields].flatMap(declaredMeanings),
);

/** @param owner the name of the schema, or `query` for a parameter */
export const meaningOf = (owner: string, name: string): string | undefined =>
  meanings[`${owner}.${name}`] ?? declared[name] ?? meanings[name];
