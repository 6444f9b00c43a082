import { expect, test } from "bun:test";
import { freePort, startStack } from "../../harness.ts";

const workerPort = freePort();
const closedWorkerPort = freePort();
const SECURITY_CONTACT = "https://example.org/security";
const open = await startStack({ env: { WORKER_PORT: String(workerPort), SECURITY_CONTACT } });
const secure = await startStack({ env: { BASE_URL: "https://kept.example" } });
const closed = await startStack({ env: { METRICS_TOKEN: "s3cret", WORKER_PORT: String(closedWorkerPort) } });

test("metrics count requests by route", async () => {
  await open.rest("GET", "/habits/1");
  const text = await (await fetch(`${open.config.baseUrl}/metrics`)).text();
  expect(text).toContain(
    'kept_request_seconds_count{method="GET",route="/habits/{habit_id}",status="404"} 1',
  );
});

test.each([
  ["a front door", open.config.port, closed.config.port],
  ["a worker", workerPort, closedWorkerPort],
])("%s shows its metrics to this machine, or to callers with the token", async (_, own, withToken) => {
  const statusAt = async (port: number, headers: Record<string, string>) =>
    (await fetch(`http://127.0.0.1:${port}/metrics`, { headers })).status;
  expect(await statusAt(own, { "x-forwarded-for": "203.0.113.7" })).toBe(404);
  const statuses = [];
  for (const authorization of ["", "Bearer wrong", "Bearer s3cret"])
    statuses.push(await statusAt(withToken, { authorization }));
  expect(statuses).toEqual([404, 404, 200]);
});

test("metrics without a token answer to names of this machine only, and to nobody where BASE_URL is https", async () => {
  const statusFor = async ({ config }: typeof open, host: string) =>
    (await fetch(`http://127.0.0.1:${config.port}/metrics`, { headers: { host } })).status;
  const hosts = ["localhost:3000", "LOCALHOST", "127.0.0.1", "127.8.8.8:1", "[::1]:3000"];
  for (const host of hosts) expect([host, await statusFor(open, host)]).toEqual([host, 200]);
  const foreign = ["rebind.evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "x.localhost"];
  for (const host of foreign) expect([host, await statusFor(open, host)]).toEqual([host, 404]);
  expect(await statusFor(secure, "localhost")).toBe(404);
});

test("only /metrics is the address of the metrics", async () => {
  const filtered = await open.rest("GET", "/todos?context=/metrics");
  expect(filtered.body).toMatchObject({ data: [], meta: { total: 0 } });
  const answers = ["/metrics?x", "/api/v1/metrics"].map((path) => fetch(`${open.config.baseUrl}${path}`));
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 404]);
});

test("a body far over the limit is still our 413", async () => {
  const { status, body } = await open.rest("POST", "/todos", { body: { title: "x".repeat(1_000_000) } });
  expect([status, body.code]).toEqual([413, "body_too_large"]);
});

test("a body in pieces is taken when it is whole, and refused when it is too long", async () => {
  const pieces = (text: string, times: number) =>
    new ReadableStream({
      async start(controller) {
        for (let n = 0; n < times; n++) {
          controller.enqueue(new TextEncoder().encode(text));
          await Bun.sleep(1);
        }
        controller.close();
      },
    });
  const headers = {
    "content-type": "application/json",
    authorization: `Bearer ${await open.issuer.token()}`,
  };
  const send = (body: ReadableStream) =>
    fetch(`${open.config.baseUrl}/api/v1/todos`, { method: "POST", body, headers });
  expect((await send(pieces(`{"title":"In pieces"} `, 1))).status).toBe(201);
  expect((await send(pieces(" ".repeat(10_000), 10))).status).toBe(413);
});

test("security.txt says whom to tell of a vulnerability, and is never out of date", async () => {
  const answer = await fetch(`${open.config.baseUrl}/.well-known/security.txt`);
  expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  const [contact, expires = "", canonical] = (await answer.text()).split("\n");
  expect(contact).toBe(`Contact: ${SECURITY_CONTACT}`);
  const days = (Date.parse(expires.replace("Expires: ", "")) - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(30);
  expect(canonical).toBe(`Canonical: ${answer.url}`);
});

test("a worker's metrics count batches, jobs and commands by name and outcome", async () => {
  await open.rest("POST", "/todos", { body: { title: "Counted" } });
  await open.rest("DELETE", "/habits/1");
  const operations = [
    { method: "POST", path: "/categories", body: { name: "Counted" } },
    { method: "DELETE", path: "/todos/999999" },
  ];
  await open.rest("POST", "/batch", { body: { operations } });
  const metrics = await fetch(`http://127.0.0.1:${workerPort}/metrics`);
  expect(metrics.headers.get("content-type")).toStartWith("text/plain");
  const text = await metrics.text();
  for (const line of [
    'kept_commands_total{command="todo.create",outcome="done"} 2',
    'kept_commands_total{command="habit.delete",outcome="not_found"} 1',
    'kept_commands_total{command="category.create",outcome="done"} 1',
    'kept_commands_total{command="todo.delete",outcome="not_found"} 1',
    'kept_commands_total{command="batch.run",outcome="done"} 1',
    'kept_command_seconds_count{command="todo.create"} 2',
    'kept_command_seconds_count{command="category.create"} 1',
    "# TYPE kept_batches_refused_total counter",
  ])
    expect(text).toContain(`${line}\n`);
  expect(text).toMatch(/^kept_batch_commands_sum [1-9]/m);
  expect(text).toMatch(/^kept_job_wait_seconds_count{queue="commands"} [1-9]/m);
  expect(text).toMatch(/^kept_job_run_seconds_count{queue="commands",result="done"} [1-9]/m);
  expect(text).toContain("# TYPE kept_jobs_redelivered_total counter");
});

test("a worker shows nothing beside its metrics and its health", async () => {
  const statuses = ["/", "/health/live", "/health/ready"].map(
    async (path) => (await fetch(`http://127.0.0.1:${workerPort}${path}`)).status,
  );
  expect(await Promise.all(statuses)).toEqual([404, 200, 200]);
});
