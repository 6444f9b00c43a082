import { refuse } from "../../shared/errors.ts";
import type { Config } from "../../shared/process/config.ts";
import type { Log } from "../../shared/process/observe/log.ts";
import type { Exposition } from "../../shared/process/observe/metrics.ts";
import {
  createStatusPages,
  type FindStatusPage,
  type Health,
  isAskedByBalancers,
  statusPaths,
} from "../../shared/process/observe/status-pages.ts";
import { type Answering, type AnswerRequest, arrivalSeconds, createIntake } from "./intake.ts";
import { logAnswer, pathOf, requestIdOf, withFullAddress } from "./request.ts";
import { createFinish, fault, inFormAccepted, refusalResponse } from "./response.ts";

type Answers = Answering &
  Readonly<{
    exposition: Pick<Exposition, "answer">;
    ready(): Promise<Health>;
    /** Ends the answers that have no end of their own, such as streams. */
    endStreams(): void;
  }>;

/** Listens on HOST, or on both loopback addresses, because clients resolve `localhost` to either. */
export function listen(
  config: Pick<Config, "host" | "port" | "baseUrl" | "drainSeconds" | "trustedProxies">,
  log: Log,
  { answer, turnAway, knownUser, exposition, ready, endStreams }: Answers,
): { stop(): Promise<void> } {
  const { host, port, trustedProxies, drainSeconds } = config;
  const finish = createFinish(config.baseUrl);
  const traffic: Traffic = { isStopping: false, lastRequest: never, lastAsked: never };
  const isLogged = log.isLevelEnabled("debug");

  /** Asks the client of a stopping door to reconnect, which leads it to another door. */
  function send(request: object, response: Response): Response {
    response.headers.set("x-request-id", requestIdOf(request));
    if (traffic.isStopping) response.headers.set("connection", "close");
    return finish(response);
  }

  async function serve(request: Request, answer: AnswerRequest): Promise<Response> {
    const began = performance.now();
    traffic.lastRequest = began;
    let answered = await (request.headers.has("origin") ? answerScript(request, answer) : answer(request));
    // A client learns that the coding of its body was the fault (RFC 9110 §15.5.16).
    if (answered.status === 415 && request.headers.has("content-encoding"))
      answered.headers.set("accept-encoding", "identity");
    if (answered.status >= 400) answered = await inFormAccepted(request, answered);
    const response = send(request, answered);
    if (isLogged) logAnswer(log, request, response, performance.now() - began);
    return response;
  }

  const intake = createIntake({ trustedProxies, knownUser, serve, answer, turnAway });

  function take(received: Request, server: Bun.Server<undefined>): Promise<Response> | Response {
    const request = withFullAddress(received);
    return request ? intake.take(received, request, server) : serve(received, refuseHost);
  }

  const findPage = createStatusPages({
    exposition,
    ready: async () => (intake.isFull() ? full : ready()),
    isDraining: () => traffic.isStopping,
  });

  const listenOn = (hostname: string) =>
    Bun.serve({
      hostname,
      port,
      // Bun's development page would show the source to anybody who makes a request fail.
      development: false,
      routes: statusRoutes({ findPage, traffic, send, take }),
      fetch: take,
      // The text of an uncaught error may hold client input, so only the lines of its stack are logged.
      error(error) {
        const stack = placesOf(error);
        log.error({ request_id: requestIdOf(error), name: error.name, stack }, "request failed");
        return send(error, refusalResponse(fault.refusal));
      },
      idleTimeout: arrivalSeconds,
    });
  const servers = host === undefined ? listenOnLoopback(listenOn) : [listenOn(host)];
  const isBusy = () => servers.some((server) => server.pendingRequests > 0);

  return {
    /**
     * When Bun stops listening, it closes every connection without a request under way, even while a request or
     * answer is being sent. So requests are served until no more come, as a balancer's health checks ensure.
     */
    async stop() {
      await drain(traffic, isBusy, { drainSeconds, endStreams });
      await Promise.all(servers.map(stopServer));
      intake.stop();
    },
  };
}

function listenOnLoopback<Server>(listenOn: (hostname: string) => Server): Server[] {
  const first = listenOn("127.0.0.1");
  try {
    return [first, listenOn("::1")];
  } catch {
    // A machine without IPv6 listens on IPv4 alone.
    return [first];
  }
}

const full: Health = { status: "unavailable", missing: ["room"] };
const badHost = refuse("malformed_request", "The Host header does not name a host.");
const refuseHost = () => refusalResponse(badHost.refusal);

const placesOf = ({ stack }: Error): string[] =>
  stack?.match(/^\s+at .*/gm)?.map((line) => line.trim()) ?? [];

/** Requests under way are answered. Idle connections, for which a bare stop would wait, are closed. */
async function stopServer(server: ReturnType<typeof Bun.serve>): Promise<void> {
  void server.stop();
  await until(() => server.pendingRequests === 0);
  await server.stop(true);
}

type Take = (received: Request, server: Bun.Server<undefined>) => Promise<Response> | Response;

type Dependencies = Readonly<{
  findPage: FindStatusPage;
  traffic: Traffic;
  send(request: object, response: Response): Response;
  /** Answers requests that no status page takes, such as a POST. */
  take: Take;
}>;

/** Bun matches the status pages itself, so other requests are not compared with their addresses. */
function statusRoutes({ findPage, traffic, send, take }: Dependencies): Record<string, Take> {
  const answer: Take = (received, server) => {
    const request = withFullAddress(received);
    const path = request && pathOf(request.url);
    const page = path && findPage(received.method, path);
    if (!page) return take(received, server);
    if (isAskedByBalancers(path)) traffic.lastAsked = performance.now();
    const answered = page(received.headers, () => server.requestIP(received)?.address);
    return answered instanceof Promise
      ? answered.then((response) => send(received, response))
      : send(received, answered);
  };
  return Object.fromEntries(statusPaths.map((path) => [path, answer]));
}

/** Scripts of any site may call these. They are public or need a token, and a browser adds none by itself. */
const openPaths =
  /^\/(api\/v1|mcp|openapi\.json|\.well-known\/(oauth|openid)-[\w-]+|jwks|register|token|revoke|userinfo)(\/|$)/;

/** Lets scripts of any site read an answer (CORS). Without Allow-Credentials browsers send no cookies along. */
const readableByScripts = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "*",
};

/** Answers a request with an origin. Preflights of scripts have one answer for all requests, so they cost nothing. */
async function answerScript(request: Request, answer: AnswerRequest): Promise<Response> {
  const { method, headers, url } = request;
  if (!openPaths.test(pathOf(url))) return answer(request);
  if (method === "OPTIONS" && headers.has("access-control-request-method")) {
    const allowed = {
      "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
      "access-control-allow-headers": headers.get("access-control-request-headers") ?? "",
      "access-control-max-age": "7200",
    };
    return new Response(null, { status: 204, headers: { ...readableByScripts, ...allowed } });
  }
  const response = await answer(request);
  for (const [name, value] of Object.entries(readableByScripts)) response.headers.set(name, value);
  return response;
}

/** A stopping process waits for balancers that ask for health at least this often, until each has heard of the stop. */
const askedMs = 10_000;
/** After this silence no further request is coming and every answer has left. */
const quietMs = 250;
const drainMs = 3_000;

/** The facts about a server's requests that decide when it may stop (times of performance.now()). */
type Traffic = {
  isStopping: boolean;
  lastRequest: number;
  /** The time of a balancer's last question for health. */
  lastAsked: number;
};
const never = Number.NEGATIVE_INFINITY;

/** Lets clients go elsewhere; resolves when all have gone, or a while after the drain time. */
async function drain(
  traffic: Traffic,
  isBusy: () => boolean,
  { drainSeconds, endStreams }: Pick<Config, "drainSeconds"> & Pick<Answers, "endStreams">,
): Promise<void> {
  traffic.isStopping = true;
  const began = performance.now();
  const isWatched = began - traffic.lastAsked < askedMs;
  // A balancer may need this time to notice the stop.
  await Bun.sleep(drainSeconds * 1_000);
  await until(() => !isWatched || traffic.lastAsked > began);
  // New requests go to other doors now. Streams would never end by themselves.
  endStreams();
  await until(() => {
    if (isBusy()) traffic.lastRequest = performance.now();
    return performance.now() - traffic.lastRequest > quietMs;
  });
}

async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + drainMs;
  while (!holds() && performance.now() < deadline) await Bun.sleep(5);
}
