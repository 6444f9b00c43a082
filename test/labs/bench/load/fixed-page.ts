/** The limit of HTTP on this machine: a Bun.serve that answers one fixed page. Its port goes to the parent. */
const item = { id: 1, title: "Answer the letter of the landlord, no. 1", description: "x".repeat(280) };
const body = JSON.stringify({ data: Array.from({ length: 15 }, () => item) });
const headers = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" };

const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response(body, { headers }) });
process.send?.(server.port);
process.on("disconnect", () => process.exit());
