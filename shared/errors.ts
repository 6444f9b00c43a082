/** Field name → sentences, as in the body of a 422. */
export type FieldErrors = Record<string, string[]>;

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

export function refuse(
  code: RefusalCode,
  message: string,
  more: Omit<Refusal, "code" | "message"> = {},
): Refused {
  return { refusal: { code, message, ...more } };
}

export const notFound = (resource: ResourceName): Refused =>
  refuse("not_found", `${resource} not found.`, { resource });

export const conflict = (message: string): Refused => refuse("conflict", message);

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
  refuse("overloaded", "The service is briefly unable to write. Please try again.", {
    applied,
    retryAfterSeconds: 1,
  });

/** A 422 whose message is the first field's, with the messages of all fields in `errors`. */
export function invalid(errors: FieldErrors): Refused {
  const sentences = Object.values(errors).flat();
  const more = sentences.length - 1;
  const suffix = more === 0 ? "" : ` (and ${more} more error${more === 1 ? "" : "s"})`;
  return refuse("invalid", `${sentences[0]}${suffix}`, { errors });
}

/**
 * The refusal of a request that repeats the key of another request, by the name that its door has for the key.
 * @param day when that one was the same but for the day
 */
export const keyTaken = (isToolCall: boolean, day?: string): Refused => {
  const use = day === undefined ? "a different request" : `this on ${day}`;
  const message = `The idempotency key was already used for ${use}; use a new key.`;
  return invalid({ [isToolCall ? "idempotency_key" : "Idempotency-Key"]: [message] });
};

export function isRefused(result: object | null): result is Refused {
  return result !== null && "refusal" in result;
}
