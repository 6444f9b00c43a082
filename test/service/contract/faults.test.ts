import { expect, test } from "bun:test";
import { createApp } from "../../../api/app.ts";
import { DatabaseFailure } from "../../../shared/db/database-failure.ts";
import { loadConfig } from "../../../shared/process/config.ts";
import { type JsonBody, testEnvironment } from "../../harness.ts";

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
    observe: (_request: Request, _route: object, answer: () => Promise<Response>) => answer(),
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

test("whatever a statement or its connection fails with is an outage on both doors", async () => {
  for (const cause of [new Error("statement timeout"), new AggregateError([new Error("connect")]), "closed"])
    for (const path of ["/api/v1/habits", "/mcp"])
      expect(await answerTo(path, new DatabaseFailure(cause))).toEqual([503, "warn", "overloaded"]);
});

test("whatever else is thrown is a fault and looks like one", async () => {
  const likeTheDrivers = Object.assign(new Error("Connection terminated"), {
    code: "57P01",
    severity: "FATAL",
  });
  for (const error of [new Error("x"), new SyntaxError("x"), likeTheDrivers, "a string"])
    for (const path of ["/api/v1/habits", "/mcp"])
      expect(await answerTo(path, error)).toEqual([500, "error", "internal"]);
});
