/** Field name → sentences, as in the body of a 422. */
export type FieldErrors = Record<string, string[]>;

/** Every way the service says no. A closed list: each door maps each code once. */
export type RefusalCode =
  | "unauthenticated"
  | "insufficient_scope"
  | "not_found"
  | "method_not_allowed"
  | "conflict"
  | "invalid"
  | "malformed_request"
  | "malformed_body"
  | "body_too_large"
  | "unsupported_media_type"
  | "rate_limited"
  | "overloaded"
  | "internal";

/** A refusal is a value: handlers return it, nothing throws it. */
export type Refusal = Readonly<{
  code: RefusalCode;
  message: string;
  errors?: FieldErrors;
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

export const notFound = (what: string): Refused => refuse("not_found", `${what} not found.`);

export const conflict = (message: string): Refused => refuse("conflict", message);

/** A mutation for which nobody can answer now. */
export const unavailable = (applied: "no" | "unknown"): Refused =>
  refuse("overloaded", "The service is briefly unable to write. Please try again.", {
    applied,
    retryAfterSeconds: 1,
  });

/** A 422 in the words of the first field, with all of them in `errors`. */
export function invalid(errors: FieldErrors): Refused {
  const sentences = Object.values(errors).flat();
  const more = sentences.length - 1;
  const suffix = more === 0 ? "" : ` (and ${more} more error${more === 1 ? "" : "s"})`;
  return refuse("invalid", `${sentences[0]}${suffix}`, { errors });
}

/** What a repeat hears that is another request than the one its key was used for. */
export const keyTaken = invalid({
  "Idempotency-Key": ["The idempotency key was already used for a different request; use a new key."],
});

export function isRefused(result: object | null): result is Refused {
  return result !== null && "refusal" in result;
}
