import type { Result } from "@modelcontextprotocol/server";
import type { Contract } from "../../../shared/contracts/catalogue.ts";
import type { Today } from "../../../shared/domain/day/today.ts";
import type { Refusal, Refused } from "../../../shared/errors.ts";
import type { Fields } from "../../http/input/validate.ts";
import type { Actor } from "../../mailbox/actor.ts";
import type { Content } from "../../perform.ts";

/** A call that succeeded: its outcome, and all that its answer may show. */
export type Success = Readonly<{
  body: unknown;
  input: object;
  actor: Actor;
  /** The user's day. A replay has that of its first run. */
  today: Today;
  replayed: boolean;
  baseUrl: string;
}>;

/** A contract that a call can stand for: how its arguments are read, and how its success is answered. */
export type CallTarget = Readonly<{
  contract: Contract;
  read(args: Fields): Promise<Content | Refused> | Content | Refused;
  /** The user's day, where the body of a read has it. */
  dayOf?(body: unknown): Today;
  answer(success: Success): Result;
}>;

/** The circumstances of a refusal. The day is undefined when nothing says soon which it is. */
export type RefusedAt = Readonly<{ today?: Today | undefined; replayed?: boolean | undefined }>;

/** A tool call or a read of a resource, as its message asks for it. */
export type Asked = Readonly<{
  name: string;
  args: Fields;
  target: CallTarget | Refused;
  /** @throws ProtocolError for a refusal that no result can say */
  refuse(refusal: Refusal, at: RefusedAt): Result;
}>;
