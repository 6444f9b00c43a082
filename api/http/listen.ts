import { refuse } from "../../shared/errors.ts";
import type { Config } from "../../shared/process/config.ts";
import type { Log } from "../../shared/process/log.ts";
import { createAdmission } from "./admission.ts";
import { fault, refusalResponse } from "./refusal-response.ts";
import { createFinish } from "./response-headers.ts";

const idleTimeoutSeconds = 30;
/** A balancer that asks for readiness at least this often is waited for, until it has heard that we are stopping. */
const askedMs = 10_000;
/** When nothing has come or been answered for this long, no further request is coming, and every answer has left. */
const quietMs = 250;
const drainMs = 3_000;

export type Listener = Readonly<{
  /** Whether clients should go elsewhere: this door is about to stop. */
  isDraining(): boolean;
  stop(): Promise<void>;
}>;

type Answers = Readonly<{
  answer(request: Request, remoteAddress: () => string | undefined): Promise<Response> | Response;
  /** The answer to a request that is refused before anything is looked at. */
  turnAway(request: Request): Response;
}>;

/** Listens on HOST, or on both loopback addresses, because `localhost` means one to some clients and the other to others. */
export function listen(
  { host, port, baseUrl }: Pick<Config, "host" | "port" | "baseUrl">,
  log: Log,
  { answer, turnAway }: Answers,
): Listener {
  const finish = createFinish(baseUrl);
  const admission = createAdmission();
  let draining = false;
  let lastRequest = Number.NEGATIVE_INFINITY;
  let lastAsked = Number.NEGATIVE_INFINITY;

  function note(request: Request): void {
    if (isHealthCheck(request)) lastAsked = performance.now();
    else lastRequest = performance.now();
  }

  /** Asks the client of a stopping door to come back over a new connection, which will lead to another door. */
  function farewell(response: Response): Response {
    if (draining) response.headers.set("connection", "close");
    return finish(response);
  }

  async function serve(received: Request, server: Bun.Server<undefined>): Promise<Response> {
    const request = withFullAddress(received);
    if (request === undefined) return farewell(refusalResponse(badHost.refusal));
    note(request);
    // The address is asked for only when it matters: each time is a system call.
    return farewell(await answer(request, () => server.requestIP(received)?.address));
  }

  const listenOn = (hostname: string) =>
    Bun.serve({
      hostname,
      port,
      // Bun's development page would show our source to whoever makes a request fail.
      development: false,
      fetch(received, server) {
        if (isHealthCheck(received)) return serve(received, server);
        const leave = admission.admit(received);
        return leave ? serve(received, server).finally(leave) : turnAway(received);
      },
      // Nothing caught this error. Its text may hold what a client sent, so only the lines of its stack are logged.
      error(error) {
        log.error({ name: error.name, stack: placesOf(error) }, "request failed");
        return farewell(refusalResponse(fault.refusal));
      },
      idleTimeout: idleTimeoutSeconds,
    });
  const servers = host === undefined ? listenOnLoopback(listenOn) : [listenOn(host)];

  return {
    isDraining: () => draining,
    /**
     * When Bun stops listening, it closes every connection without a request under way, also one whose request or
     * answer is just on its way. So requests are served until no more come, which a balancer that asks for readiness sees to.
     */
    async stop() {
      draining = true;
      const began = performance.now();
      const isWatched = began - lastAsked < askedMs;
      await until(() => !isWatched || lastAsked > began);
      await until(() => {
        if (servers.some((server) => server.pendingRequests > 0)) lastRequest = performance.now();
        return performance.now() - lastRequest > quietMs;
      });
      await Promise.all(servers.map(stopServer));
      admission.stop();
    },
  };
}

function listenOnLoopback<Server>(listenOn: (hostname: string) => Server): Server[] {
  const first = listenOn("127.0.0.1");
  try {
    return [first, listenOn("::1")];
  } catch {
    // A machine without IPv6 is served on IPv4 alone.
    return [first];
  }
}

const badHost = refuse("malformed_request", "The Host header does not name a host.");

const placesOf = ({ stack }: Error): string[] =>
  stack?.match(/^\s+at .*/gm)?.map((line) => line.trim()) ?? [];

const isHealthCheck = ({ url }: Request): boolean => url.endsWith("/health/ready");

/**
 * Gives a request without a Host header (HTTP/1.0) a full address: URL refuses a mere path, and Elysia expects a host
 * of at least four characters before it. Nothing of ours depends on the host in the URL.
 * @returns undefined when the header is no host, or there are two (RFC 9112 §3.2)
 */
function withFullAddress(request: Request): Request | undefined {
  const { url } = request;
  const host = request.headers.get("host");
  if (host?.includes(",")) return undefined;
  if (/^https?:\/\/[^/]{4}/.test(url)) return URL.canParse(url) ? request : undefined;
  if (host && !URL.canParse(url)) return undefined;
  const path = url.replace(/^https?:\/\/[^/]*/, "");
  return new Request(`http://localhost${path}`, request);
}

/** Requests under way are answered; idle connections, which a bare stop waits for, are closed. */
async function stopServer(server: ReturnType<typeof Bun.serve>): Promise<void> {
  void server.stop();
  await until(() => server.pendingRequests === 0);
  await server.stop(true);
}

async function until(isOver: () => boolean): Promise<void> {
  const deadline = performance.now() + drainMs;
  while (!isOver() && performance.now() < deadline) await Bun.sleep(5);
}
