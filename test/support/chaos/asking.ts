import type { SQL } from "bun";
import type { openPageDoor } from "../page-door.ts";
import type { Call } from "./world.ts";
import { untilAnswered } from "./writer.ts";

type Decision = "approved" | "declined" | "expired" | "none";

/** A request for a todo of that title, and what its person decided. */
export type AskedTodo = Readonly<{ id: string; title: string; decision: Decision }>;

export type Asking = Readonly<{
  /** Calls with the token that must ask for everything. */
  call: Call;
  page: Pick<Awaited<ReturnType<typeof openPageDoor>>, "send">;
  /** A connection that passes no gate. */
  sql: SQL;
  userId: string;
  /** A number from 0 to 1. */
  chance(): number;
}>;

/** Gives the token of `call` the rule that it asks for every change. @returns its user */
export async function mustAsk({ call, page, sql }: Omit<Asking, "userId" | "chance">): Promise<string> {
  const title = `Before the rules ${crypto.randomUUID()}`;
  await untilAnswered(
    () => call("POST", "/todos", { body: { title } }),
    ({ status }) => status === 201,
  );
  const [row] = await sql`select user_id, token_id from action_log where resource_name = ${title}`;
  const limits = { ask_above: 0, changes_per_day: null, deletions_per_day: null, category_id: null };
  const rules = { token_id: row.token_id, asks_deletions: true, ...limits };
  await untilAnswered(
    () => page.send(row.user_id, "token.set-rules", rules),
    (answer) => answer === null,
  );
  return row.user_id;
}

/** Far fewer than the requests of one person that may wait; with these nobody could ask any more. */
const mostUndecided = 50;

/** An agent asks for one todo after the other, and its person decides about each by chance. */
export async function askUntil(asking: Asking, asked: AskedTodo[], isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const title = `Asked ${crypto.randomUUID()}`;
    const id = await ask(asking, title);
    const undecided = asked.filter(({ decision }) => decision === "none").length;
    asked.push({ id, title, decision: await decide(asking, id, undecided < mostUndecided) });
  }
}

async function ask({ call, chance }: Asking, title: string): Promise<string> {
  let door = Math.round(chance());
  const { body } = await untilAnswered(
    () => call("POST", "/todos", { door: door++, body: { title }, key: title }),
    ({ status }) => status === 202,
  );
  return body.id;
}

/** Sometimes the person presses the button twice, or only when it is too late, by clocks that jump as well. */
async function decide(
  { page, sql, userId, chance }: Asking,
  id: string,
  mayWait: boolean,
): Promise<Decision> {
  const lot = chance();
  if (lot < 0.1 && mayWait) return "none";
  const isLate = lot < 0.25;
  const expire = () => sql`update approvals set expires_at = '2000-01-01' where id = ${id}`;
  if (isLate) await untilAnswered(expire, () => true);
  const approve = isLate || lot < 0.75;
  const press = () =>
    untilAnswered(
      () => page.send(userId, "approval.decide", { approval_ids: [id], approve }),
      (answer) => "decided" in answer,
    );
  await Promise.all(chance() < 0.3 ? [press(), press()] : [press()]);
  if (isLate) return "expired";
  return approve ? "approved" : "declined";
}

const states = { approved: "done", declined: "declined", expired: "waiting", none: "waiting" };

/** Sentences about each approved change that did not happen exactly once, and each other one that happened. */
export async function wrongIn(sql: SQL, asked: readonly AskedTodo[]): Promise<string[]> {
  const rows: { id: string; state: string; done: number; logged: number }[] = await sql`
    select a.id::text, a.state,
      (select count(*)::int from todos t where t.title = v.title) as done,
      (select count(*)::int from action_log l where l.request_id = a.id and l.outcome = 'ok') as logged
    from jsonb_to_recordset(${asked}::jsonb) v(id uuid, title text) join approvals a on a.id = v.id`;
  const found = new Map(rows.map((row) => [row.id, row]));
  return asked.flatMap(({ id, decision }) => {
    const { state = "missing", done = 0, logged = 0 } = found.get(id) ?? {};
    const wanted = decision === "approved" ? 1 : 0;
    const isRight = state === states[decision] && done === wanted && logged === wanted;
    return isRight ? [] : [`${id}, ${decision}, is ${state}: ${done} todos, ${logged} rows in the log.`];
  });
}
