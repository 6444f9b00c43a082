import { refuse } from "../../shared/errors.ts";
import type { Config } from "../../shared/process/config.ts";
import { readBounded } from "./input.ts";
import { clientNetwork, noteRequest } from "./request.ts";
import { refusalResponse } from "./response.ts";

/**
 * Seconds in which a request must arrive. Bun counts from the first byte, and goes on counting below 16 KB a second.
 */
export const arrivalSeconds = 10;
/**
 * Seconds for which an answer may send no byte, as a question may wait for 30, and for which an idle connection stays:
 * balancers reuse one for up to 60.
 */
const silenceSeconds = 75;

export type AnswerRequest = (request: Request) => Promise<Response> | Response;

export type Answering = Readonly<{
  answer: AnswerRequest;
  /** Answers a request that is refused unread. */
  turnAway: AnswerRequest;
  /** The user of an Authorization header whose token is known to be valid. */
  knownUser(authorization: string | null): string | undefined;
}>;

type Dependencies = Answering &
  Readonly<{
    trustedProxies: Config["trustedProxies"];
    /** Sends every answer, so that all have the headers and the form that their client reads. */
    serve(request: Request, answer: AnswerRequest): Promise<Response>;
  }>;

/** Bun's view of a connection, by the request that it received. */
type Connections = Pick<Bun.Server<undefined>, "requestIP" | "timeout">;

/** Serves requests once they have arrived, and no more of them than this process can. */
export function createIntake({ trustedProxies, knownUser, serve, answer, turnAway }: Dependencies) {
  const awaitBody = createArrivals();
  const admission = createAdmission();

  /** An unknown token counts as no user, because anybody could make up one for each request. */
  function admit(request: Request, network: string, isLong = false): Promise<Response> {
    const leave = admission.admit(() => knownUser(request.headers.get("authorization")) ?? network);
    if (!leave) return serve(request, turnAway);
    noteRequest(request, { leave, network });
    if (isLong) leave();
    return serve(request, answer).finally(leave);
  }

  async function turnBack(request: Request, why: NotWhole): Promise<Response> {
    const response = await serve(request, why === "too-long" ? refuseLong : turnAway);
    response.headers.set("connection", "close");
    return response;
  }

  return {
    /** @param request the one received, with a full address */
    take(received: Request, request: Request, connections: Connections): Promise<Response> {
      const peer = connections.requestIP(received)?.address ?? "";
      const network = clientNetwork(trustedProxies, received.headers, peer);
      const size = sizeOfBody(request);
      connections.timeout(received, size === "short" ? arrivalSeconds : silenceSeconds);
      if (size !== "short") return admit(request, network, size === "long");
      return awaitBody(request, network).then((whole) => {
        if (!(whole instanceof Request)) return turnBack(request, whole);
        connections.timeout(received, silenceSeconds);
        return admit(whole, network);
      });
    },
    isFull: admission.isFull,
    stop: admission.stop,
  };
}

/**
 * Pages that take files read long bodies, after they have checked the sender. All other addresses refuse them
 * unread.
 */
function sizeOfBody({ method, headers }: Request): "none" | "short" | "long" {
  if (method === "GET" || method === "HEAD") return "none";
  const length = headers.get("content-length");
  if (length === null) return headers.has("transfer-encoding") ? "short" : "none";
  if (Number(length) > mostBytes) return "long";
  return Number(length) > 0 ? "short" : "none";
}

const tooLong = refuse("body_too_large", "A body of more than 64 KiB must say its length (Content-Length).");
const refuseLong = () => refusalResponse(tooLong.refusal);

/** Awaits a body of at most so many bytes before its request is served. */
const mostBytes = 64 * 1024;

type Arriving = Readonly<{ network: string; putOut(): void }>;

type NotWhole = "too-long" | "broken-off" | "put-out";

/** The most incomplete bodies, in all and of one network: 64 MiB and 12.5 MiB. */
const [mostSlow, mostSlowOfNetwork] = [1_000, 200];

/** Awaits the bodies of requests. Beyond the bounds the oldest wait ends: honest bodies arrive soon, and find room. */
function createArrivals() {
  /** Incomplete bodies, the oldest first. */
  const slow = new Set<Arriving>();

  function makeRoom(network: string): void {
    const own = [...slow].filter((one) => one.network === network);
    const [oldest] = own.length > mostSlowOfNetwork ? own : slow.size > mostSlow ? slow : [];
    if (!oldest) return;
    slow.delete(oldest);
    oldest.putOut();
  }

  async function awaitSlow(arrived: Promise<Request | NotWhole>, network: string) {
    const putOut = Promise.withResolvers<"put-out">();
    const arriving = { network, putOut: () => putOut.resolve("put-out") };
    slow.add(arriving);
    makeRoom(network);
    return Promise.race([arrived, putOut.promise]).finally(() => slow.delete(arriving));
  }

  /** @returns the request with its whole body */
  return async (request: Request, network: string): Promise<Request | NotWhole> => {
    const arrived = readWhole(request).catch(() => "broken-off" as const);
    // Most bodies arrive with their headers, so they need no wait.
    const atOnce = await Promise.race([arrived, nextTurn()]);
    return atOnce ?? awaitSlow(arrived, network);
  };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function readWhole(request: Request): Promise<Request | NotWhole> {
  // A stream costs as much as all other checks together, and a declared length bounds the body anyway.
  const isDeclared = request.headers.has("content-length");
  const body = isDeclared ? await request.bytes() : await readBounded(request.body, mostBytes);
  return typeof body === "string" ? body : new Request(request, { body });
}

const beatMs = 10;
/** A process that runs its timers this late (ms) has more to do than it can. */
const lateMs = 15;
/** Lateness for less than this (ms) is a burst, which is served. */
const burstMs = 500;
/** Load is over when this process was not late for this long. */
const calmMs = 2_000;
/** The most simultaneous requests while load is shed: enough to fill every batch, few enough to be answered in time. */
const limit = 500;

/**
 * Decides whether a request is served. It sheds load once this process was late for long, until it was punctual for a while.
 * Each sender gets an equal part of the limit, and one part stays free for a new sender, so the busiest are refused
 * first. Senders are counted only while load is shed, because counting costs as much as the checks of a request.
 */
export function createAdmission() {
  const underWay = new Set<object>();
  const ofSenders = new Map<string, number>();
  let isShedding = false;
  /** The time for which this process has been late, minus the time for which it was punctual (ms). */
  let lateFor = 0;
  let lastLate = Number.NEGATIVE_INFINITY;
  let lastBeat = performance.now();
  let lastCheck = lastBeat;

  // While requests are taken in under load, timers may not run for seconds. So each request checks, too.
  function check(now: number): void {
    const isLate = now - lastBeat > beatMs + lateMs;
    if (isLate || lateFor > 0 || isShedding) weigh(now, isLate);
    lastCheck = now;
  }

  function weigh(now: number, isLate: boolean): void {
    if (isLate) lastLate = now;
    lateFor = Math.min(burstMs, Math.max(0, lateFor + (isLate ? now - lastCheck : lastCheck - now)));
    if (lateFor === burstMs) isShedding = true;
    else if (lateFor === 0 && now - lastLate > calmMs) isShedding = false;
  }

  const heart = setInterval(() => {
    check(performance.now());
    lastBeat = lastCheck;
  }, beatMs);
  heart.unref();

  /** @param sender given only while load is shed */
  function enter(sender?: string): () => void {
    const request = {};
    underWay.add(request);
    if (sender !== undefined) ofSenders.set(sender, (ofSenders.get(sender) ?? 0) + 1);
    return () => {
      if (!underWay.delete(request) || sender === undefined) return;
      const left = (ofSenders.get(sender) ?? 0) - 1;
      if (left > 0) ofSenders.set(sender, left);
      else ofSenders.delete(sender);
    };
  }

  return {
    /**
     * @param senderOf asked only while load is shed
     * @returns a function to call when the request is answered; undefined when it is to be refused
     */
    admit(senderOf: () => string): (() => void) | undefined {
      check(performance.now());
      if (!isShedding) return enter();
      const sender = senderOf();
      const share = Math.max(1, limit / (ofSenders.size + 1));
      return underWay.size >= limit || (ofSenders.get(sender) ?? 0) >= share ? undefined : enter(sender);
    },
    isFull: () => isShedding && underWay.size >= limit,
    stop: () => clearInterval(heart),
  };
}
