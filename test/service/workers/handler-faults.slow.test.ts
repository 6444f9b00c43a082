import { afterAll, afterEach, expect, spyOn, test } from "bun:test";
import { SQL } from "bun";
import { todoCreate } from "../../../workers/handlers/todo/create.ts";
import * as saving from "../../../workers/unit-of-work/save.ts";
import { entriesOf } from "../../../workers/unit-of-work/state.ts";
import { useStack } from "../../harness.ts";
import { creationOf, openOwnMailbox, outcomesOf } from "../../support/signed.ts";

const { config } = await useStack();
const mailbox = await openOwnMailbox(config);
const { rows, run } = todoCreate;
const spies: { mockRestore(): void }[] = [];
afterEach(() => {
  for (const spy of spies.splice(0)) spy.mockRestore();
});
afterAll(() => mailbox.close());

const twenty = (label: string) => Array.from({ length: 20 }, (_, index) => `${label} ${index}`);

const faults: Record<number, () => never> = {
  3: () => {
    throw new Error("a fault");
  },
  8: () => {
    throw new SyntaxError("a fault of JSON.parse");
  },
  15: () => {
    throw "a string";
  },
};
const faultOf = (title: string) => faults[Number(title.split(" ").at(-1))];

async function expectOnlyFaultsRefused(titles: readonly string[]) {
  const outcomes = await outcomesOf(mailbox, titles.map(creationOf));
  for (const [index, outcome] of outcomes.entries())
    expect(outcome).toMatchObject(
      faults[index] ? { refusal: { code: "internal", applied: "no" } } : { body: { title: titles[index] } },
    );
  await using sql = new SQL(config.databaseUrl, { max: 1 });
  const stored = await sql`select title from todos where title in ${sql(titles)}`;
  expect(stored.map(({ title }: { title: string }) => title).toSorted()).toEqual(
    titles.filter((_, index) => !faults[index]).toSorted(),
  );
}

test("a handler that throws an Error, a SyntaxError or a string spoils its own command only", async () => {
  const spy = spyOn(todoCreate, "run").mockImplementation((context, input) => {
    faultOf(input.title)?.();
    return run(context, input);
  });
  spies.push(spy);
  await expectOnlyFaultsRefused(twenty("run"));
});

test("so does a handler that throws when it is asked which rows it needs", async () => {
  const spy = spyOn(todoCreate as Required<typeof todoCreate>, "rows").mockImplementation(
    (input, acceptedAt) => {
      faultOf(input.title)?.();
      return rows?.(input, acceptedAt) ?? [];
    },
  );
  spies.push(spy);
  await expectOnlyFaultsRefused(twenty("rows"));
});

test("so does a stored reply that cannot be read", async () => {
  const commands = twenty("reply").map((title) => ({ ...creationOf(title), fingerprint: "sent before" }));
  const spoilt = commands[7];
  await using sql = new SQL(config.databaseUrl, { max: 1 });
  await sql`insert into inbox (user_id, command_id, fingerprint, reply, keyed, created_at)
    values (${spoilt?.userId}, ${spoilt?.id}, 'sent before', '{', true, now())`;
  const outcomes = await outcomesOf(mailbox, commands);
  for (const [index, outcome] of outcomes.entries())
    expect(outcome).toMatchObject(index === 7 ? { refusal: { code: "internal" } } : { body: {} });
});

test("a fault between handlers and database is answered as one, not as an outage", async () => {
  const { save } = saving;
  const spy = spyOn(saving, "save").mockImplementation((connection, state) => {
    if ([...entriesOf(state, "todos").values()].some(({ row }) => row && faultOf(row.title)))
      throw new Error("a fault");
    return save(connection, state);
  });
  spies.push(spy);
  await expectOnlyFaultsRefused(twenty("save"));
});
