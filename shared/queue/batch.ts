import type { CommandName } from "../contracts/catalogue.ts";
import type { Refusal } from "../errors.ts";

/** How long a front door waits for the reply to a command. After that nobody may carry the command out. */
export const patienceMs = 1_500;

/** The MCP call that a command came by: its row in the action log is written with the command's effects. */
export type ToolCall = Readonly<{
  requestId: string;
  tokenId: string;
  clientName: string | null;
  tool: string;
  /** JSON text. */
  arguments: string;
  /** By PostgreSQL's clock (epoch ms). */
  startedAt: number;
}>;

/** One validated mutation on its way to a worker. */
export type QueuedCommand = Readonly<{
  /** By which the front door knows whom to answer: repeats of one command have tickets of their own. */
  ticket: number;
  /** UUID: new, or derived from user and idempotency key. */
  id: string;
  userId: string;
  name: CommandName;
  input: unknown;
  /** Set with an idempotency key: sha256 of name and input. */
  fingerprint: string | null;
  /** When the front door accepted it (epoch ms): the user's "today" is that of this moment. */
  acceptedAt: number;
  /** By PostgreSQL's clock (epoch ms), when the front door began to wait. */
  sentAt: number;
  call?: ToolCall;
}>;

/** What one BullMQ job carries: all commands that gathered while an earlier batch was under way. */
export type CommandBatch = Readonly<{ id: string; replyTo: string; commands: readonly QueuedCommand[] }>;

/** The committed outcome: the resource as presented (null: no content), or why not. */
export type Outcome = Readonly<{ body: unknown }> | Readonly<{ refusal: Refusal }>;

export type Reply = Readonly<{ ticket: number; outcome: Outcome; replayed: boolean }>;

/** One pub/sub message to a front door. */
export type Replies = Readonly<{ batchId: string; replies: readonly Reply[] }>;
