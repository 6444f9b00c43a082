import { afterAll } from "bun:test";
import { Webhook } from "standardwebhooks";

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies whose shape is what they assert
type Event = any;
export type Received = Readonly<{ id: string; event: Event; at: number }>;

export type Receiver = ReturnType<typeof startReceiver>;
type Behaviour = { answer(received: Received): Response | Promise<Response> };

/** An answer of a receiver to every request. */
export const answering = (status: number) => (): Response => new Response(null, { status });

/** A webhook receiver as a user would write one: it checks every signature with the public library. */
export function startReceiver(secretOf: () => string) {
  /** Every request whose signature the public library accepted, repeats included. */
  const received: Received[] = [];
  /** Requests that it refused. */
  const forged: string[] = [];
  /** The ids of requests whose sender left before the answer: it was killed, or waited long enough. */
  const abandoned = new Set<string>();
  /** The answer to each request; replace it to break or stall the receiver. */
  const behaviour: Behaviour = { answer: answering(204) };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const body = await request.text();
      const headers = Object.fromEntries(request.headers);
      try {
        const event = new Webhook(secretOf()).verify(body, headers);
        const one = { id: headers["webhook-id"] ?? "", event, at: Date.now() };
        received.push(one);
        request.signal.addEventListener("abort", () => abandoned.add(one.id));
        return behaviour.answer(one);
      } catch (error) {
        forged.push(String(error));
        return new Response(null, { status: 401 });
      }
    },
  });
  afterAll(() => server.stop(true));
  return { url: `http://127.0.0.1:${server.port}/hook`, received, forged, abandoned, behaviour };
}
