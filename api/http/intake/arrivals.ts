import { readBounded } from "../input/body.ts";
import { createWaiting } from "./waiting.ts";

/** Awaits a body of at most so many bytes before its request is served. */
export const mostBytes = 64 * 1024;

type Arriving = Readonly<{ network(): string; putOut(): void }>;

/** The reason why a body did not arrive whole. */
export type NotWhole = "too-long" | "broken-off" | "put-out";

type Arrivals = Readonly<{
  /** @returns the request with its whole body */
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

  async function awaitSlow(arrived: Promise<Request | NotWhole>, network: () => string) {
    const putOut = Promise.withResolvers<"put-out">();
    const arriving = { network, putOut: () => putOut.resolve("put-out") };
    waiting.add(arriving);
    return Promise.race([arrived, putOut.promise]).finally(() => waiting.remove(arriving));
  }

  return {
    async await(request, network) {
      const arrived = readWhole(request).catch(() => "broken-off" as const);
      // Most bodies arrive with their headers, so they need no wait.
      const atOnce = await Promise.race([arrived, nextTurn()]);
      return atOnce ?? awaitSlow(arrived, network);
    },
  };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function readWhole(request: Request): Promise<Request | NotWhole> {
  // A stream costs as much as all other checks together, and a declared length bounds the body anyway.
  const isDeclared = request.headers.has("content-length");
  const body = isDeclared ? await request.bytes() : await readBounded(request.body, mostBytes);
  return typeof body === "string" ? body : new Request(request, { body });
}
