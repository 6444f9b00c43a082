import type { components } from "./schema.ts";

type Schemas = components["schemas"];

/** The closed list of reasons of the service, and two of this package. */
export type KeptErrorCode = Schemas["Error"]["code"] | "invalid" | "waiting" | "no_answer" | "unknown";

type KeptErrorParts = Readonly<{
  message: string;
  status: number;
  code: KeptErrorCode;
  fields?: Readonly<Record<string, readonly string[]>>;
  applied?: "no" | "unknown";
  retryAfter?: number | undefined;
  cause?: unknown;
}>;

/** A refusal of Kept. Its message is the service's own sentence, with the next step. */
export class KeptError extends Error {
  override readonly name: string = "KeptError";
  /** The HTTP status; 0 if no answer came. */
  readonly status: number;
  readonly code: KeptErrorCode;
  /** Sentences by field name, of a 422. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** `unknown` if the change may have been made all the same. */
  readonly applied: "no" | "unknown";
  /** Seconds after which a new attempt makes sense, if the service said so. */
  readonly retryAfter: number | undefined;

  constructor({ message, status, code, fields = {}, applied = "no", retryAfter, cause }: KeptErrorParts) {
    super(message, { cause });
    this.status = status;
    this.code = code;
    this.fields = fields;
    this.applied = applied;
    this.retryAfter = retryAfter;
  }
}

/** Kept did not answer any attempt. */
export class NoAnswerError extends KeptError {
  override readonly name = "NoAnswerError";

  constructor(applied: "no" | "unknown", cause: unknown) {
    super({
      message: `Kept does not answer (${reasonOf(cause)}).`,
      status: 0,
      code: "no_answer",
      applied,
      cause,
    });
  }
}

/** Nothing is changed yet: the person has to approve this request first. */
export class WaitingError extends KeptError {
  override readonly name = "WaitingError";
  /** The request, and the page on which the person decides. */
  readonly request: Schemas["WaitingRequest"];

  constructor(request: Schemas["WaitingRequest"]) {
    super({ message: request.message, status: 202, code: "waiting" });
    this.request = request;
  }
}

/** `fetch` hides the reason of a broken connection in its cause. */
function reasonOf(error: unknown): string {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return inner instanceof Error ? inner.message : String(inner);
}

type Answer = Readonly<{ status: number; headers?: Headers }>;

const isWaiting = (status: number, body: unknown): body is Schemas["WaitingRequest"] =>
  status === 202 && body !== null;

/** The error of an answer; a proxy before Kept may answer in another form. */
export function errorOf(body: unknown, { status, headers }: Answer): KeptError {
  if (isWaiting(status, body)) return new WaitingError(body);
  const refusal: Partial<Schemas["Error"] & Schemas["ValidationError"]> =
    typeof body === "object" && body !== null ? body : {};
  const retryAfter = Number(headers?.get("retry-after") ?? Number.NaN);
  return new KeptError({
    message: refusal.message ?? `HTTP ${status}`,
    status,
    code: refusal.code ?? (refusal.errors ? "invalid" : "unknown"),
    ...(refusal.errors && { fields: refusal.errors }),
    ...(refusal.applied && { applied: refusal.applied }),
    ...(Number.isFinite(retryAfter) && { retryAfter }),
  });
}
