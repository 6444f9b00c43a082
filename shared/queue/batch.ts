import { createHmac, timingSafeEqual } from "node:crypto";
import type { Pool } from "pg";
import { type Static, Type } from "typebox";
import { Compile } from "typebox/compile";
import { type CommandName, commands } from "../contracts/catalogue.ts";
import type { PreviewedChange } from "../contracts/kernel/preview.ts";
import { readSecret } from "../db/shared-secrets.ts";
import type { Today } from "../domain/day/day.ts";
import type { Preconditions } from "../domain/preconditions.ts";
import { type Door, doors } from "../domain/vocabulary.ts";
import { isRefused, type Refusal, type Refused, refuse } from "../errors.ts";
import { type QueuedOperation, queuedGroup } from "./group.ts";

/** Milliseconds that a front door waits for a reply. After that nobody may carry out the command. */
export const patienceMs = 1_500;

/**
 * The format of batches and replies. Raise it if the other side would misread the new form; parts that it may
 * ignore need no new version. A worker refuses a batch of another version. The first signed one is 5.
 */
export const batchVersion = 5;
const knownVersion = Type.Literal(batchVersion);

const nullableText = Type.Union([Type.String(), Type.Null()]);

const call = Type.Object({
  requestId: Type.String(),
  /** Absent in what a door records of tool calls alone. */
  door: Type.Optional(Type.Unsafe<Door>(Type.Enum([...doors]))),
  /** Empty for a person on the account pages. */
  tokenId: Type.String(),
  clientName: nullableText,
  /** The tool; for a request by REST or from a page, the name of its command. */
  tool: Type.String(),
  /** JSON text of a tool's arguments; else an empty object, because the command has its input. */
  arguments: Type.String(),
  /** Epoch ms by PostgreSQL's clock. */
  startedAt: Type.Number(),
  index: Type.Optional(Type.Integer()),
  /** The step of a trace that the command belongs to (W3C Trace Context). A worker may ignore it. */
  traceparent: Type.Optional(Type.String()),
});

/** The call of a command: its row in the action log is written with the command's effects. */
export type Call = Readonly<Static<typeof call>>;

/** True for a tool call: it always has a row in the log, and its answer has the user's day. */
export const isToolCall = (call: Call | undefined): boolean =>
  call !== undefined && (call.door ?? "mcp") === "mcp";

const header = Type.Optional(Type.String());
const preconditions = Type.Object({ ifMatch: header, ifNoneMatch: header });

const queuedCommand = Type.Object({
  /** Identifies the caller at the front door: each repeat of a command has its own ticket. */
  ticket: Type.Integer(),
  /** UUID: new, or derived from user and idempotency key. */
  id: Type.String(),
  userId: Type.String(),
  name: Type.Unsafe<CommandName>(Type.Enum(Object.keys(commands))),
  /** Validated by the front door against the command's contract. */
  input: Type.Unknown(),
  /** Set with an idempotency key: sha256 of name and input. */
  fingerprint: nullableText,
  /** The time when the front door accepted it (epoch ms), which decides the user's "today". */
  acceptedAt: Type.Number(),
  /** The start of the front door's wait by PostgreSQL's clock (epoch ms). */
  sentAt: Type.Number(),
  call: Type.Optional(Type.Unsafe<Call>(call)),
  /** The worker checks these on locked rows; the fingerprint ignores them. */
  preconditions: Type.Optional(Type.Unsafe<Preconditions>(preconditions)),
  /** The worker throws the changes away, and answers what they would be. */
  preview: Type.Optional(Type.Literal(true)),
  /** Only for `batch.run`: the operations of the group. */
  group: Type.Optional(queuedGroup),
});

/** One validated mutation on its way to a worker. */
export type QueuedCommand = Readonly<Static<typeof queuedCommand>>;

/** The common part of batches of all versions, so that any worker can refuse any batch. */
const batchAddress = Type.Object({ id: Type.String(), replyTo: Type.String() });

const commandBatch = Type.Object({
  ...batchAddress.properties,
  v: knownVersion,
  commands: Type.Unsafe<readonly QueuedCommand[]>(Type.Array(queuedCommand)),
});

/** The data of one BullMQ job: all commands that gathered while an earlier batch was under way. */
export type CommandBatch = Readonly<Static<typeof commandBatch>>;
type BatchAddress = Readonly<Static<typeof batchAddress>>;

const refusal = Type.Unsafe<Refusal>(Type.Object({ code: Type.String(), message: Type.String() }));
const outcome = Type.Union([Type.Object({ body: Type.Unknown() }), Type.Object({ refusal })]);

/** The committed outcome: the resource as presented (null: no content), or the reason why there is none. */
export type Outcome = Readonly<Static<typeof outcome>>;

const today = Type.Object({ date: Type.String(), timeZone: Type.String() });

const reply = Type.Object({
  ticket: Type.Integer(),
  outcome: Type.Unsafe<Outcome>(outcome),
  replayed: Type.Boolean(),
  /** Set for a preview: what its command would change. */
  changes: Type.Optional(Type.Unsafe<readonly PreviewedChange[]>(Type.Array(Type.Object({})))),
  /** The words that a tool call replaced, by the key of their row and by field. */
  former: Type.Optional(Type.Record(Type.String(), Type.Record(Type.String(), Type.String()))),
  /** The user's day, for tool calls only. */
  today: Type.Optional(Type.Unsafe<Today>(today)),
});

export type Reply = Readonly<Static<typeof reply>>;

const replies = Type.Object({
  v: knownVersion,
  batchId: Type.String(),
  replies: Type.Unsafe<readonly Reply[]>(Type.Array(reply)),
});

/** One pub/sub message to a front door: outcomes of some commands of a batch, or of all. */
export type Replies = Readonly<Static<typeof replies>>;

/** The other message to a front door, the same in every version: no command of this batch was or will be run. */
const refusedBatch = Type.Object({ refusedBatch: Type.String() });
type RefusedBatch = Readonly<Static<typeof refusedBatch>>;

// Measured for a batch of 100: 3 µs, beside more than 10 ms for its transaction.
const batchCheck = Compile(commandBatch);
const addressCheck = Compile(batchAddress);
const messageCheck = Compile(Type.Union([replies, refusedBatch]));

/**
 * Reads a job's data at the worker.
 * @returns undefined for another version's batch, or if no front door signed it: then nothing of it may run
 */
export function readBatch(data: unknown, { verify }: Signer): CommandBatch | undefined {
  const batch = verify(data);
  return batchCheck.Check(batch) ? batch : undefined;
}

/** @returns undefined when the data is no batch of any version */
export const readBatchAddress = (data: unknown): BatchAddress | undefined =>
  addressCheck.Check(data) ? data : undefined;

/**
 * Reads a message at the front door.
 * @returns undefined for another version's format, and for what no worker signed; both are ignored
 */
export function readMessage(text: string, { verify }: Signer): Replies | RefusedBatch | undefined {
  try {
    const message = verify(JSON.parse(text));
    return messageCheck.Check(message) ? message : undefined;
  } catch {
    return undefined;
  }
}

export type OperationEnd = Readonly<{ index: number }> & Pick<Reply, "outcome" | "replayed" | "changes">;

const ends = Compile(
  Type.Array(
    Type.Object({
      index: Type.Integer(),
      outcome: Type.Unsafe<Outcome>(Type.Object({})),
      replayed: Type.Boolean(),
    }),
  ),
);

export const readEnds = (body: unknown): readonly OperationEnd[] | undefined =>
  ends.Check(body) ? body : undefined;

/** @returns the id of what an operation made or changed */
export function answeredId(outcome: Outcome | undefined): number | undefined {
  if (!outcome || !("body" in outcome)) return undefined;
  const { body } = outcome;
  if (typeof body !== "object" || body === null || !("id" in body)) return undefined;
  return typeof body.id === "number" ? body.id : undefined;
}

/** The refusal of an operation that needs one that failed. */
export const failedDependency = (index: number): Refused =>
  refuse("failed_dependency", `Not carried out, because operation ${index} failed.`);

/**
 * If an operation's result is unknown, so are the results of those that need it.
 * @returns the refusal of an operation that needs a failed or unfinished one
 */
export function missingDependency(
  { after }: Pick<QueuedOperation, "after">,
  ended: ReadonlyMap<number, Outcome>,
): Refused | undefined {
  for (const index of after) {
    const outcome = ended.get(index);
    if (outcome && !isRefused(outcome)) continue;
    return outcome?.refusal.code === "overloaded" ? outcome : failedDependency(index);
  }
  return undefined;
}

/** Signs the messages that front doors and workers send each other over Redis, which never sees the keys. */
export type Signer = Readonly<{
  sign(body: object): object;
  /** @returns the body of a message; undefined if none of the keys signed it */
  verify(message: unknown): object | undefined;
}>;

/** Opens a signer with the keys that all processes share. The first one signs, and each is accepted. */
export const openSigner = async (pool: Pick<Pool, "query">): Promise<Signer> =>
  createSigner(await readSecret(pool, "queue"));

export const createSigner = (keys: readonly string[]): Signer => ({
  sign: (body) => ({ ...body, signature: digestOf(JSON.stringify(body), keys[0]).toString("base64url") }),
  verify(message) {
    // JSON keeps the order of members, so the parsed body has the signed text again.
    const { signature, ...body } = Object(message);
    const [text, given] = [JSON.stringify(body), Buffer.from(String(signature), "base64url")];
    const isGiven = (key: string) => given.length === 32 && timingSafeEqual(digestOf(text, key), given);
    return keys.some(isGiven) ? body : undefined;
  },
});

const digestOf = (text: string, key = ""): Buffer => createHmac("sha256", key).update(text).digest();
