import { expect } from "bun:test";
import type { SQL } from "bun";
import type { Call, Page } from "../../../support/chaos/world.ts";
import { untilAnswered } from "../../../support/chaos/writer.ts";

const together = 5;

type Undoing = Readonly<{
  call: Call;
  page: Page;
  sql: SQL;
  userId: string;
  /** Is called when an undo is sent. */
  onUndo(): void;
}>;

/** A person deletes five todos and undoes all of it, again and again. @returns the number of turns */
export async function deleteAndUndo({ call, page, sql, userId, onUndo }: Undoing, isOver: () => boolean) {
  const insist = (method: string, path: string, status: number, body?: object) => {
    const key = crypto.randomUUID();
    return untilAnswered(
      () => call(method, path, { key, body }),
      (answer) => answer.status === status,
    );
  };
  const each = <Result>(work: (index: number) => Promise<Result>) =>
    Promise.all(Array.from({ length: together }, (_, index) => work(index)));
  let turns = 0;
  for (; !isOver(); turns++) {
    const fields = (index: number) => ({ title: `Todo ${turns}-${index}`, recurrence: "FREQ=DAILY" });
    const made = await each((index) => insist("POST", "/todos", 201, fields(index)));
    const paths = made.map(({ body }) => `/todos/${body.id}`);
    await each((index) => insist("DELETE", paths[index] ?? "", 204));
    const actions = await untilAnswered(
      () => sql`select called_at::text, request_id from action_log where user_id = ${userId}
        and tool = 'todo.delete' and undone_by is null order by called_at desc, request_id desc`,
      (rows) => rows.length > 0,
    );
    expect(actions).toHaveLength(together);
    onUndo();
    const { ends } = await untilAnswered(
      () => page.send(userId, "action.undo", { actions: [...actions] }),
      (answer) => "ends" in answer,
    );
    expect(ends).toHaveLength(together);
  }
  return turns;
}

export async function expectUndoneOnce(sql: SQL, userId: string, turns: number) {
  expect(turns).toBeGreaterThan(2);
  const [row] = await sql`
    select (select count(*)::int from todos where user_id = ${userId}) as todos,
      (select count(*)::int from action_log where user_id = ${userId} and tool = 'action.undo') as undos`;
  expect(row).toEqual({ todos: together * turns, undos: together * turns });
}
