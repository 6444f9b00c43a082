import { type Static, Type } from "typebox";
import type { Refused } from "../../errors.ts";
import { categoryExamples } from "../category/contracts.ts";
import { command, route } from "../kernel/contract.ts";
import { Clearable, Flag, IdempotencyKey, OneOf, titled, titledObject } from "../kernel/fields.ts";
import { todoExamples } from "../todo/examples.ts";

const category = categoryExamples.create;
const { id, name, color } = category.output;
const title = "Repair the lamp";

const groupExample = {
  input: {
    operations: [
      { method: "POST" as const, path: "/categories", body: category.input },
      { method: "POST" as const, path: "/todos", body: { title, category_id: "$0.id" } },
    ],
    atomic: true,
  },
  output: {
    results: [
      { status: 201, body: category.output },
      {
        status: 201,
        body: {
          ...todoExamples.create.output,
          title,
          due_date: null,
          recurrence: null,
          category: { id, name, color },
        },
      },
    ],
  },
};

const maxOperations = 50;

const GroupBody = titled(
  "BatchBody",
  Type.Object(
    {},
    {
      additionalProperties: true,
      expects: "an object of fields; category_id may be a reference such as $0.id",
    },
  ),
);

export const GroupOperation = Type.Object({
  method: titled("BatchMethod", OneOf(["POST", "PUT", "PATCH", "DELETE"])),
  path: Type.String({
    expects: "the path of a change such as /todos/7/toggle; $0.id stands for an id that operation 0 answers",
  }),
  body: Clearable(GroupBody),
  idempotency_key: Clearable(IdempotencyKey),
});

/** The group as a whole; each operation is checked later. */
export const GroupEnvelope = Type.Object({
  operations: Type.Array(Type.Unknown(), {
    minItems: 1,
    maxItems: maxOperations,
    expects: `a list of 1 to ${maxOperations} operations`,
  }),
  atomic: Type.Optional(Flag),
});

const GroupResult = titledObject("BatchResult", {
  status: Type.Integer(),
  body: Type.Union([titled("BatchAnswer", Type.Object({}, { additionalProperties: true })), Type.Null()], {
    description: "What the operation would have answered alone; null where that is no content",
  }),
});

/** The group has no scopes: each operation needs those of its route. */
export const runGroup = command({
  name: "batch.run",
  apart: true,
  scopes: [],
  summary: `Make up to ${maxOperations} changes in order by one request; if atomic, all of them or none`,
  rest: [route("runBatch", "POST", "/batch", groupExample)],
  input: Type.Object({
    operations: Type.Array(titled("BatchOperation", GroupOperation), {
      minItems: 1,
      maxItems: maxOperations,
    }),
    atomic: Clearable(Flag),
  }),
  output: titledObject("BatchResults", { results: Type.Array(GroupResult) }),
});

/** The most things of one tool call. */
export const maxAtOnce = 25;
/** The most changes of one action: more than a page shows at once, and few enough for one undo. */
export const maxInAction = 300;

/** One change of an action: a command with its input, or the front door's refusal. */
export type ActionOperation = Readonly<{ name: string; input: Record<string, unknown> }> | Refused;
export type ActionEnd = Readonly<{ body: unknown }> | Refused;

const object = Type.Object({});

/** The group of a tool call or a page. It is one command, so it has one reply, one row in the log and one undo. */
export const runAsOne = command({
  name: "batch.run-as-one",
  apart: true,
  scopes: [],
  summary: "Make several changes as one action, as far as possible",
  input: Type.Object({
    operations: Type.Array(Type.Unsafe<ActionOperation>(object), { minItems: 1, maxItems: maxInAction }),
  }),
  output: Type.Object({ ends: Type.Array(Type.Unsafe<ActionEnd>(object)) }),
});

export type ActionInput = Static<typeof runAsOne.input>;
export type ActionOutput = Static<typeof runAsOne.output>;
