import type { KeptClient } from "../index.ts";
import type { Memory } from "./memory.ts";

/** What every command of `kept` works with. */
export type CommandLine = Readonly<{
  client: KeptClient;
  /** Where Kept and its account pages are. */
  url: string;
  memory: Memory;
  /** Prints a text for people, or with --json the value on one line. */
  print(text: string, value: unknown): void;
}>;

/** What openapi-fetch resolves to: data if the request succeeded, else the refusal. */
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

/** The same for a request that may be answered without content. */
export async function awaitAnswer<Data>(call: Promise<Settled<Data>>): Promise<Settled<Data>> {
  const settled = await call.catch((error: Error) => {
    const reason = error.cause instanceof Error ? error.cause.message : error.message;
    throw new Error(`Kept does not answer (${reason}). A change that was on its way may have been made.`);
  });
  const { error, response } = settled;
  if (!response.ok) throw new Error(sentenceOf(error, response), { cause: response });
  return settled;
}

/** The sentence of a refusal; a proxy before Kept may answer in another form. */
export function sentenceOf(refusal: unknown, { status }: Pick<Response, "status">): string {
  if (typeof refusal !== "object" || refusal === null || !("message" in refusal)) return `HTTP ${status}`;
  const isUnknown = "applied" in refusal && refusal.applied === "unknown";
  return `${refusal.message}${isUnknown ? " It may have been done all the same." : ""}`;
}
