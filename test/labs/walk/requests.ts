import { expect, test } from "bun:test";
import { startStack } from "../../harness.ts";
import { post, rpc } from "../../support/mcp.ts";
import type { WalkName } from "./walks.ts";

/** Runs under line coverage (`measure.ts`): one process for each request, and one that makes a single read. */
const { WALK: name = "first read", WALK_TIMES: times = "1" } = Bun.env;
/** Every process lives for this long after its start, so that timers run about equally often in each. */
const watchedMs = 2_000;
/** A door that stops right after a request would wait for the next, step by step. */
const quietMs = 300;

const stack = await startStack();
const token = await stack.issuer.token();

const made = async (title: string) => {
  const { status } = await stack.rest("POST", "/todos", { body: { title } });
  expect(status).toBe(201);
};
const listed = async () => expect((await stack.rest("GET", "/todos")).status).toBe(200);
/** The agent of other tests checks facts by their schema, and lines that this runs are not the door's. */
const called = async (name: string, args: object) => {
  const { body } = await post(stack, rpc("tools/call", { name, arguments: args }), { token });
  expect(body.result).toMatchObject({ structuredContent: expect.anything() });
  expect(body.result.isError).toBeUndefined();
};

const requests: Readonly<Record<WalkName | "first read", (title: string) => Promise<void>>> = {
  "first read": listed,
  "POST /api/v1/todos": made,
  "GET /api/v1/todos": listed,
  "MCP create-todo": (title) => called("create-todo", { title }),
  "MCP get-pending-todos": () => called("get-pending-todos", {}),
};

test("the request is answered", async () => {
  const until = performance.now() + watchedMs;
  const request = requests[name as keyof typeof requests];
  for (let time = 0; time < Number(times); time++) await request(`Todo ${time}`);
  await Bun.sleep(Math.max(quietMs, until - performance.now()));
});
