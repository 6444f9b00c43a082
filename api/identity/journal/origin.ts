import { AsyncLocalStorage } from "node:async_hooks";

type UnderWay = Readonly<{ network: string; userAgent: string }>;

const requests = new AsyncLocalStorage<UnderWay>();

/** The request that is served. Chores and the service itself have none. */
export const requestUnderWay = (): UnderWay | undefined => requests.getStore();

/** The network whose request is served; empty for chores. */
export const networkUnderWay = (): string => requestUnderWay()?.network ?? "";

/** Serves a request: all that it does asynchronously knows where it comes from. */
export const duringRequest = <Result>(request: UnderWay, serve: () => Result): Result =>
  requests.run(request, serve);

/** Runs work that belongs to no request, although one began it. */
export const asChore = <Result>(work: () => Result): Result => requests.exit(work);
