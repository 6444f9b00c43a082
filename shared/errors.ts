/** Sentences by field name, as in the body of a 422. */
export type FieldErrors = Record<string, string[]>;

/** The problem of a field; in two parts if it names the next step. */
export type Problem = string | Readonly<{ reason: string; next: string }>;
export type FieldProblems = Readonly<Record<string, readonly Problem[]>>;

/** The resources of a user that can be requested one by one. */
export type ResourceName = "Habit" | "Todo" | "Category" | "Reminder" | "Approval" | "Webhook" | "Delivery";

/** The codes of all refusals. The list is closed, so that each door can map each code exactly once. */
export type RefusalCode =
  | "unauthenticated"
  | "insufficient_scope"
  | "not_found"
  | "method_not_allowed"
  | "conflict"
  | "precondition_failed"
  | "failed_dependency"
  | "invalid"
  | "malformed_request"
  | "malformed_body"
  | "body_too_large"
  | "unsupported_media_type"
  | "quota"
  | "token_limit"
  | "waiting"
  | "rate_limited"
  | "overloaded"
  | "internal";

/** The reason why something was not done. Functions return it and never throw it. */
export type Refusal = Readonly<{
  code: RefusalCode;
  message: string;
  /** The end of the message, with the next step. A door adds its own advice to a message without one. */
  next?: string;
  /** The resource already has the requested state, so nothing is left to do. */
  isSoAlready?: true;
  errors?: FieldErrors;
  /** The missing resource, for sentences of the doors; no answer has this field. */
  resource?: ResourceName;
  /** True if the messages list the user's categories, which only a caller with that permission may see. */
  listsCategories?: boolean;
  /** Tells if a refused mutation may have taken effect; only on `overloaded`. */
  applied?: "no" | "unknown";
  /** The request for approval; only on `waiting`. */
  approval?: WaitingApproval;
  retryAfterSeconds?: number;
}>;

/** A request that waits for its person, and the page where they decide. */
export type WaitingApproval = Readonly<{
  id: string;
  state: string;
  expires_at: string;
  approve_at: string;
}>;

export type Refused = Readonly<{ refusal: Refusal }>;

/** @param reason the reason; the message adds the next step if there is one */
export function refuse(
  code: RefusalCode,
  reason: string,
  more: Omit<Refusal, "code" | "message"> = {},
): Refused {
  return { refusal: { code, message: sentence(reason, more.next), ...more } };
}

/** After a full sentence the next step is a sentence of its own; otherwise it is the second half. */
function sentence(reason: string, next: string | undefined): string {
  if (next === undefined) return reason;
  return reason.endsWith(".") ? `${reason} ${next}` : `${reason}; ${next}`;
}

export const notFound = (resource: ResourceName): Refused =>
  refuse("not_found", `${resource} not found.`, { resource });

export const conflict = (reason: string, next: string): Refused => refuse("conflict", reason, { next });

export const alreadySo = (reason: string): Refused => refuse("conflict", reason, { isSoAlready: true });

export const preconditionFailed = (header: "If-Match" | "If-None-Match"): Refused =>
  refuse(
    "precondition_failed",
    header === "If-Match"
      ? "This is not, or no longer, what the If-Match header names; read it again."
      : "This is what the If-None-Match header excludes.",
  );

/** The refusal of a mutation that no worker answers now. */
export const unavailable = (applied: "no" | "unknown"): Refused =>
  refuse("overloaded", "The service is briefly unable to write.", {
    next: "Please try again.",
    applied,
    retryAfterSeconds: 1,
  });

/** A 422 with the first field's message as its own, and the messages of all fields in `errors`. */
export function invalid(problems: FieldProblems): Refused {
  const errors = Object.fromEntries(
    Object.entries(problems).map(([name, all]) => [name, all.map(problemSentence)]),
  );
  const [first, ...others] = Object.values(problems).flat();
  const more = others.length;
  const suffix = more === 0 ? "" : ` (and ${more} more error${more === 1 ? "" : "s"})`;
  const message = `${first && problemSentence(first)}${suffix}`;
  const next = typeof first === "object" && { next: first.next };
  return { refusal: { code: "invalid", message, errors, ...next } };
}

const problemSentence = (problem: Problem): string =>
  typeof problem === "string" ? problem : sentence(problem.reason, problem.next);

/**
 * The refusal of a request whose key belongs to another request; each door has its own name for the key.
 * @param day set if the requests differ only in the day
 */
export const keyTaken = (isToolCall: boolean, day?: string): Refused => {
  const use = day === undefined ? "a different request" : `this on ${day}`;
  const problem = { reason: `The idempotency key was already used for ${use}`, next: "use a new key." };
  return invalid({ [isToolCall ? "idempotency_key" : "Idempotency-Key"]: [problem] });
};

export function isRefused(result: object | null): result is Refused {
  return result !== null && "refusal" in result;
}
