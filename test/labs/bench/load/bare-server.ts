import { SQL } from "bun";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { dashboardStatement, pageStatement, rowStatement } from "../statements.ts";

/**
 * Serves the same rows without guarantees: a token is checked once, a request is one statement. It has no
 * contracts, keys, log, limits, streaks or queue, and refuses nothing. Its port goes to the parent.
 */
const sql = new SQL(Bun.env.DATABASE_URL ?? "", { max: 20 });
const keys = createRemoteJWKSet(new URL(`${Bun.env.AUTH_URL}/jwks`));
const users = new Map<string, string>();

async function userOf(request: Request): Promise<string> {
  const token = request.headers.get("authorization")?.slice("Bearer ".length) ?? "";
  const known = users.get(token);
  if (known) return known;
  const { payload } = await jwtVerify(token, keys);
  users.set(token, payload.sub ?? "");
  return payload.sub ?? "";
}

/** Runs a statement of the bench for a user, and for the thing of an id. */
async function run(statement: string, ...values: readonly string[]) {
  const text = statement.replaceAll(":user", "$1").replaceAll(":id", "$2::bigint");
  return await sql.unsafe(text, [...values]);
}

async function page(user: string) {
  const data = await run(pageStatement, user);
  return { data, meta: { total: data[0]?.total ?? 0 } };
}

const first = async <Row>(rows: PromiseLike<readonly Row[]>) => (await rows)[0];

const toggle = (user: string, id: string) =>
  first(sql`
    update todos set is_completed = not is_completed, completed_at = now(), completed_on = current_date,
      updated_at = now() where user_id = ${user} and id = ${id}::bigint returning *`);

/** Completes a habit, or undoes that. */
const complete = (user: string, id: string) =>
  first(sql`
    with done as (insert into habit_completions values (${user}, ${id}::bigint, current_date, now()) on conflict do nothing)
    update habits set completions_count = completions_count + 1, updated_at = now()
    where user_id = ${user} and id = ${id}::bigint returning *`);

const undo = (user: string, id: string) =>
  first(sql`
    with undone as (delete from habit_completions
      where user_id = ${user} and habit_id = ${id}::bigint and local_date = current_date)
    update habits set completions_count = completions_count - 1, updated_at = now()
    where user_id = ${user} and id = ${id}::bigint returning *`);

type NewTodo = { title: string; due_date: string; time_of_day: string };

const create = (user: string, { title, due_date, time_of_day }: NewTodo) =>
  first(sql`
    insert into todos (user_id, id, title, due_date, time_of_day, is_completed, recurrence_from, created_at, updated_at)
    values (${user}, nextval('todos_id_seq'), ${title}, ${due_date}::date, ${time_of_day}::time_of_day, false, 'due',
      now(), now()) returning *`);

type ById = Bun.BunRequest<"/api/v1/todos/:id" | "/api/v1/todos/:id/toggle" | "/api/v1/habits/:id/complete">;

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  routes: {
    "/health/live": () => Response.json({ status: "ok" }),
    "/api/v1/todos": {
      GET: async (request) => Response.json(await page(await userOf(request))),
      POST: async (request) =>
        Response.json(await create(await userOf(request), (await request.json()) as NewTodo), {
          status: 201,
        }),
    },
    "/api/v1/todos/:id": async (request: ById) =>
      Response.json((await run(rowStatement, await userOf(request), request.params.id))[0]),
    "/api/v1/todos/:id/toggle": async (request: ById) =>
      Response.json(await toggle(await userOf(request), request.params.id)),
    "/api/v1/habits/:id/complete": {
      POST: async (request: ById) => Response.json(await complete(await userOf(request), request.params.id)),
      DELETE: async (request: ById) => Response.json(await undo(await userOf(request), request.params.id)),
    },
    "/api/v1/dashboard": async (request) =>
      Response.json((await run(dashboardStatement, await userOf(request)))[0]),
  },
});
process.send?.(server.port);
process.on("disconnect", () => process.exit());
