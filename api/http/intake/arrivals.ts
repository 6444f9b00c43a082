import { readBounded } from "../../web/form/bounded-body.ts";
import { createWaiting } from "./waiting.ts";

/** A body of up to so many bytes is awaited before anything is done with its request. */
const mostBytes = 64 * 1024;

type Arriving = Readonly<{ network(): string; putOut(): void }>;

/** Why a request with a body never became whole. */
export type NotWhole = "too-long" | "broken-off" | "put-out";

type Arrivals = Readonly<{
  /** @returns the request with its body there; undefined where its body is not awaited */
  await(request: Request, network: () => string): Promise<Request | NotWhole> | undefined;
}>;

/** Awaits the bodies of requests: 64 MiB in all at the most, and 12.5 MiB of one network. */
export function createArrivals(): Arrivals {
  const waiting = createWaiting<Arriving>({
    most: 1_000,
    mostOfOne: 200,
    whose: ({ network }) => network(),
    putOut: ({ putOut }) => putOut(),
  });

  return {
    await(request, network) {
      if (sizeOfBody(request) !== "short") return undefined;
      return new Promise((resolve) => {
        const arriving = { network, putOut: () => resolve("put-out") };
        const end = (outcome: Request | NotWhole) => {
          waiting.remove(arriving);
          resolve(outcome);
        };
        waiting.add(arriving);
        readWhole(request).then(end, () => end("broken-off"));
      });
    },
  };
}

/** A long body is left to the pages that take files, which look at its sender first. All others refuse it unread. */
export function sizeOfBody({ method, headers }: Request): "none" | "short" | "long" {
  if (method === "GET" || method === "HEAD") return "none";
  const length = headers.get("content-length");
  if (length === null) return headers.has("transfer-encoding") ? "short" : "none";
  if (Number(length) > mostBytes) return "long";
  return Number(length) > 0 ? "short" : "none";
}

async function readWhole(request: Request): Promise<Request | NotWhole> {
  // A stream costs as much as all our checks together, and a body of declared length is bounded by it.
  const isDeclared = request.headers.has("content-length");
  const body = isDeclared ? await request.bytes() : await readBounded(request.body, mostBytes);
  return typeof body === "string" ? body : new Request(request, { body });
}
