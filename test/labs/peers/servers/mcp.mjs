import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import pg from "pg";
import { z } from "zod";
import { userOf } from "./user.mjs";

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 });

const columns = `t.id, t.title, t.description, t.due_date::text, t.time_of_day, t.estimated_minutes, t.context,
  t.is_completed, c.name as category`;

async function rows(name, text, values) {
  return (await pool.query({ name, text, values })).rows;
}

const answer = (facts) => ({
  content: [{ type: "text", text: JSON.stringify(facts) }],
  structuredContent: facts,
});

async function list(user, { limit }) {
  const found = await rows(
    "list",
    `select ${columns}, (select count(*)::int from todos where user_id = $1 and not is_completed) as total from todos t left join categories c on c.id = t.category_id
     where t.user_id = $1 and not t.is_completed order by t.due_date, t.time_of_day, t.id limit $2`,
    [user, limit],
  );
  return { total: found[0]?.total ?? 0, todos: found.map(({ total: _, ...todo }) => todo) };
}

const create = (user, { title, due_date, time_of_day }) =>
  rows(
    "create",
    `insert into todos as t (user_id, title, due_date, time_of_day) values ($1, $2, $3, $4)
     returning t.id, t.title, t.due_date::text, t.time_of_day, t.is_completed`,
    [user, title, due_date, time_of_day],
  );

const complete = (user, { todo_id, completed }) =>
  rows(
    "complete",
    `with changed as (update todos set is_completed = $3, updated_at = now() where user_id = $1 and id = $2 returning *)
     select ${columns} from changed t left join categories c on c.id = t.category_id`,
    [user, todo_id, completed],
  );

/** A server of the SDK for each request, as its guide says: tools, and nothing else. */
function serverFor(user) {
  const server = new McpServer({ name: "plain", version: "1.0.0" });
  server.registerTool(
    "get-pending-todos",
    { inputSchema: z.object({ limit: z.number().int().max(100) }) },
    async (args) => answer(await list(user, args)),
  );
  server.registerTool(
    "create-todo",
    { inputSchema: z.object({ title: z.string(), due_date: z.string(), time_of_day: z.string() }) },
    async (args) => answer({ todo: (await create(user, args))[0] }),
  );
  server.registerTool(
    "toggle-todo",
    { inputSchema: z.object({ todo_id: z.number().int(), completed: z.boolean() }) },
    async (args) => answer({ todo: (await complete(user, args))[0] }),
  );
  return server;
}

const handler = createMcpHandler(async ({ requestInfo }) =>
  serverFor(await userOf(requestInfo.headers.get("authorization"))),
);
const server = createServer(toNodeHandler(handler));
server.listen(0, "127.0.0.1", () => process.send?.(server.address().port));
process.on("disconnect", () => process.exit());
