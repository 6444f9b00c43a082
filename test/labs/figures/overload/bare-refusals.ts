/** The least that a refusal costs: a Bun.serve that answers 503 to everything. Its port goes to the parent. */
const body = JSON.stringify({ message: "Please try again.", code: "overloaded", applied: "no" });
const headers = { "content-type": "application/json; charset=utf-8", "retry-after": "1" };

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: () => new Response(body, { status: 503, headers }),
});
process.send?.(server.port);
process.on("disconnect", () => process.exit());

export {};
