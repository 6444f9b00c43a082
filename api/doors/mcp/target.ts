import type { Result } from "@modelcontextprotocol/server";
import type { Contract } from "../../../shared/contracts/catalogue.ts";
import type { Scope } from "../../../shared/contracts/kernel/scopes.ts";
import type { Today } from "../../../shared/domain/day/day.ts";
import type { Refusal, Refused } from "../../../shared/errors.ts";
import type { Fields } from "../../http/input/validate.ts";
import type { Actor } from "../../mailbox/actor.ts";
import type { Content } from "../../perform.ts";

/** A call that succeeded: its outcome, and the facts for its answer. */
export type Success = Readonly<{
  body: unknown;
  input: object;
  actor: Actor;
  /** The user's day. A replay has that of its first run. */
  today: Today;
  /** Time in epoch ms. */
  calledAt: number;
  replayed: boolean;
  baseUrl: string;
}>;

/** A contract behind a call: how to read its arguments, and how to answer its success. */
export type CallTarget = Readonly<{
  contract: Contract;
  /** The scopes of the contract, and those that single arguments need. */
  scopes: readonly Scope[];
  /** The scopes of single arguments, if they are not those of the contract. */
  fieldScopes?: Contract["fieldScopes"] | undefined;
  read(args: Fields): Promise<Content | Refused> | Content | Refused;
  /** The user's day, if the body of a read has it. */
  dayOf?(body: unknown): Today;
  answer(success: Success): Result;
}>;

/** The circumstances of a refusal. The day is undefined when it is not known soon. */
export type RefusedAt = Readonly<{
  today?: Today | undefined;
  calledAt: number;
  replayed?: boolean | undefined;
}>;

/** A tool call or a read of a resource, as its message asks for it. */
export type Asked = Readonly<{
  name: string;
  args: Fields;
  target: CallTarget | Refused;
  /** @throws ProtocolError for a refusal that a result cannot express */
  refuse(refusal: Refusal, at: RefusedAt): Result;
}>;
