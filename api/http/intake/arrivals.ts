import { readBounded } from "../../web/form/bounded-body.ts";
import { createWaiting } from "./waiting.ts";

/** A body of up to so many bytes is awaited before anything is done with its request. */
export const mostBytes = 64 * 1024;

type Arriving = Readonly<{ network(): string; putOut(): void }>;

/** The reason why a request's body never became whole. */
export type NotWhole = "too-long" | "broken-off" | "put-out";

type Arrivals = Readonly<{
  /** @returns the request with its body there */
  await(request: Request, network: () => string): Promise<Request | NotWhole>;
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
    async await(request, network) {
      const putOut = Promise.withResolvers<"put-out">();
      const arriving = { network, putOut: () => putOut.resolve("put-out") };
      waiting.add(arriving);
      const arrived = readWhole(request).catch(() => "broken-off" as const);
      return Promise.race([arrived, putOut.promise]).finally(() => waiting.remove(arriving));
    },
  };
}

async function readWhole(request: Request): Promise<Request | NotWhole> {
  // A stream costs as much as all our checks together, and a body of declared length is bounded by it.
  const isDeclared = request.headers.has("content-length");
  const body = isDeclared ? await request.bytes() : await readBounded(request.body, mostBytes);
  return typeof body === "string" ? body : new Request(request, { body });
}
