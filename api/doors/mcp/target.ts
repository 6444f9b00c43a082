import type { Result } from "@modelcontextprotocol/server";
import type { Contract } from "../../../shared/contracts/catalogue.ts";
import type { Scope } from "../../../shared/contracts/kernel/scopes.ts";
import type { Today } from "../../../shared/domain/day/day.ts";
import type { Refusal, Refused } from "../../../shared/errors.ts";
import type { Reply } from "../../../shared/queue/batch.ts";
import type { Fields } from "../../http/input.ts";
import type { Actor } from "../../mailbox/actor.ts";
import type { Content } from "../../perform.ts";

/** A call that succeeded: its outcome, and the facts for its answer. */
export type Success = Readonly<{
  body: unknown;
  actor: Actor;
  /** The user's day. A replay has that of its first run. */
  today: Today;
  /** Time in epoch ms. */
  calledAt: number;
  replayed: boolean;
  baseUrl: string;
  former?: Reply["former"];
}>;

/** A call whose arguments are understood: the request that it makes, and how its success is answered. */
export type Understood = Content &
  Readonly<{
    contract: Contract;
    /** The user's day, if the body of a read has it. */
    dayOf?: ((body: unknown) => Today) | undefined;
    answer(success: Success): Result;
  }>;

export type CallTarget = Readonly<{
  /** The scopes of its calls, and those that single arguments need. */
  scopes: readonly Scope[];
  /** True if a call that fails at an unknown point may have changed something. */
  writes: boolean;
  understand(): Promise<Understood | Refused> | Understood | Refused;
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
  /** The arguments as they came, for the log. */
  args: Fields;
  target: CallTarget | Refused;
  /** @throws ProtocolError for a refusal that a result cannot express */
  refuse(refusal: Refusal, at: RefusedAt): Result;
}>;
