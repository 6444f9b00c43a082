import { expect, test } from "bun:test";
import { createApp } from "../../api/app.ts";
import { isDatabaseError } from "../../shared/db/database-error.ts";
import { loadConfig } from "../../shared/process/config.ts";
import { type JsonBody, testEnvironment } from "../harness.ts";

const config = loadConfig(await testEnvironment());

/** The status and the log level of a request whose authentication throws. */
async function answerTo(
  path: string,
  thrown: unknown,
): Promise<[status: number, level: string, code: string]> {
  const levels: string[] = [];
  const app = createApp({
    config,
    log: { error: () => levels.push("error"), warn: () => levels.push("warn") },
    metrics: { measure: (_method: string, _route: string, answer: () => Promise<Response>) => answer() },
    authenticate: () => Promise.reject(thrown),
  } as never);
  const response = await app.handle(
    new Request(`http://127.0.0.1${path}`, {
      method: path === "/mcp" ? "POST" : "GET",
      headers: { host: "127.0.0.1" },
    }),
  );
  const body = (await response.json()) as JsonBody;
  return [response.status, levels.join(), body.error?.data.code ?? body.code];
}

const reported = Object.assign(new Error("statement timeout"), { severity: "ERROR", code: "57014" });
const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED", syscall: "connect" });

test("what the database reports, and a database that is away, is an outage on both doors", async () => {
  for (const error of [reported, refused, new Error("Connection terminated unexpectedly")])
    for (const path of ["/api/v1/habits", "/mcp"])
      expect(await answerTo(path, error)).toEqual([503, "warn", "overloaded"]);
});

test("whatever else is thrown is a fault and looks like one", async () => {
  for (const error of [new Error("x"), new SyntaxError("x"), new TypeError("x"), "a string"])
    for (const path of ["/api/v1/habits", "/mcp"])
      expect(await answerTo(path, error)).toEqual([500, "error", "internal"]);
});

test("the driver's errors of lost connections are known by their texts", () => {
  for (const message of [
    "Connection terminated",
    "Connection terminated due to connection timeout",
    "timeout expired",
    "timeout exceeded when trying to connect",
    "Query read timeout",
    "Client has encountered a connection error and is not queryable",
    "Client was closed and is not queryable",
    "Cannot use a pool after calling end on the pool",
  ])
    expect(isDatabaseError(new Error(message))).toBe(true);
  expect(isDatabaseError(new AggregateError([refused, refused]))).toBe(true);
});
