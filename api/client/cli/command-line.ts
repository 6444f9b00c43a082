import type { KeptClient } from "../index.ts";
import type { Memory } from "./memory.ts";

/** The context of every command of `kept`. */
export type CommandLine = Readonly<{
  client: KeptClient;
  /** The address of Kept and its account pages. */
  url: string;
  memory: Memory;
  /** Prints a text for people, or with --json the value on one line. */
  print(text: string, value: unknown): void;
}>;

/** The result of openapi-fetch: data if the request succeeded, else the refusal. */
type Settled<Data> = Readonly<{ data?: Data; error?: unknown; response: Response }>;

export const dataOf = async <Data>(call: Promise<Settled<Data>>): Promise<Data> =>
  (await answerOf(call)).data;

/** @throws with the service's own sentence when it refused, and its answer as the cause */
export async function answerOf<Data>(
  call: Promise<Settled<Data>>,
): Promise<Readonly<{ data: Data; response: Response }>> {
  const { data, error, response } = await awaitAnswer(call);
  if (data === undefined) throw new Error(sentenceOf(error, response), { cause: response });
  return { data, response };
}

/** Awaits a request like `answerOf`, but accepts an answer without content. */
export async function awaitAnswer<Data>(call: Promise<Settled<Data>>): Promise<Settled<Data>> {
  const settled = await call.catch((error: Error) => {
    const reason = error.cause instanceof Error ? error.cause.message : error.message;
    throw new Error(`Kept does not answer (${reason}). A change that was on its way may have been made.`);
  });
  const { data, error, response } = settled;
  // A request that waits for approval is not carried out.
  const isDone = response.ok && response.status !== 202;
  if (!isDone) throw new Error(sentenceOf(error ?? data, response), { cause: response });
  return settled;
}

/** The sentence of a refusal; a proxy before Kept may answer in another form. */
export function sentenceOf(refusal: unknown, { status }: Pick<Response, "status">): string {
  if (typeof refusal !== "object" || refusal === null || !("message" in refusal)) return `HTTP ${status}`;
  const isUnknown = "applied" in refusal && refusal.applied === "unknown";
  return `${refusal.message}${isUnknown ? " It may have been done all the same." : ""}`;
}
