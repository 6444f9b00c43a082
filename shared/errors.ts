/** Field name → sentences, as in the body of a 422. */
export type FieldErrors = Record<string, string[]>;

/** What is wrong with a field; where the sentence goes on to say what to do, in two parts. */
export type Problem = string | Readonly<{ reason: string; next: string }>;
export type FieldProblems = Readonly<Record<string, readonly Problem[]>>;

/** The things of a user that can be asked for one by one. */
export type ResourceName = "Habit" | "Todo" | "Category" | "Reminder";

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
  | "rate_limited"
  | "overloaded"
  | "internal";

/** Why something was not done. It is a value that is returned, never thrown. */
export type Refusal = Readonly<{
  code: RefusalCode;
  message: string;
  /** The end of the message that says what to do next. A door adds advice of its own to a message without one. */
  next?: string;
  /** The thing is already as the request wants it, so nothing is left to do. */
  isSoAlready?: true;
  errors?: FieldErrors;
  /** The resource that was not found, for the doors to make sentences of; no answer has it as a field. */
  resource?: ResourceName;
  /** Whether the messages list the categories of the user, which only a caller who may list them is told. */
  listsCategories?: boolean;
  /** Whether a refused mutation may have taken effect; only on `overloaded`. */
  applied?: "no" | "unknown";
  retryAfterSeconds?: number;
}>;

export type Refused = Readonly<{ refusal: Refusal }>;

/** @param reason why, followed in the message by the next step if there is one */
export function refuse(
  code: RefusalCode,
  reason: string,
  more: Omit<Refusal, "code" | "message"> = {},
): Refused {
  return { refusal: { code, message: sentence(reason, more.next), ...more } };
}

/** The next step is a sentence after a sentence, and else its second half. */
function sentence(reason: string, next: string | undefined): string {
  if (next === undefined) return reason;
  return reason.endsWith(".") ? `${reason} ${next}` : `${reason}; ${next}`;
}

export const notFound = (resource: ResourceName): Refused =>
  refuse("not_found", `${resource} not found.`, { resource });

/** The refusal of a request that the present state does not allow. */
export const conflict = (reason: string, next: string): Refused => refuse("conflict", reason, { next });

/** The refusal of a request for what is so already. */
export const alreadySo = (reason: string): Refused => refuse("conflict", reason, { isSoAlready: true });

/** The refusal of a request whose condition, stated in a header, does not hold. */
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

/** A 422 whose message is the first field's, with the messages of all fields in `errors`. */
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
 * The refusal of a request that repeats the key of another request, by the name that its door has for the key.
 * @param day when that one was the same but for the day
 */
export const keyTaken = (isToolCall: boolean, day?: string): Refused => {
  const use = day === undefined ? "a different request" : `this on ${day}`;
  const problem = { reason: `The idempotency key was already used for ${use}`, next: "use a new key." };
  return invalid({ [isToolCall ? "idempotency_key" : "Idempotency-Key"]: [problem] });
};

export function isRefused(result: object | null): result is Refused {
  return result !== null && "refusal" in result;
}
