import fc from "fast-check";
import { contracts } from "../../shared/contracts/catalogue.ts";

const routes = contracts.flatMap(({ kind, input, rest = [] }) =>
  rest.flatMap(({ method, path }) => {
    const fields = Object.keys(input.properties).filter((name) => !path.includes(name));
    return kind === "command" ? [{ method, path, fields }] : [];
  }),
);

type Operation = Readonly<{ method: string; path: string; body?: unknown }>;

const plain = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
const reference = fc.constantFrom("$0.id", "$0.id", "$1.id", "$0", "$99.id", "$__proto__.id", "$");
const plausible = fc.constantFrom<unknown>(
  ...["a", "b", "good", "daily", "2026-11-20", "FREQ=DAILY", "2099-01-01T09:00", true, 5, null],
);

/**
 * Groups whose parts are mostly valid, because one malformed part refuses the whole group.
 * @param value odd values of fields
 * @param ids ids of existing things, by the name of the path's parameter
 */
export function oddGroups(
  value: fc.Arbitrary<unknown>,
  ids: Readonly<Record<string, number>>,
): fc.Arbitrary<Record<string, unknown>> {
  const odd = fc.constantFrom(...routes).chain(({ method, path, fields }) => {
    const removes = method === "DELETE" && !path.endsWith("/complete");
    const real = removes ? "1" : String(ids[/\{(\w+)\}/.exec(path)?.[1] ?? ""]);
    const id = fc.oneof(
      { weight: 30, arbitrary: fc.constant(real) },
      { weight: 3, arbitrary: reference },
      { weight: 1, arbitrary: value.map(plain) },
    );
    const field = fc.oneof(
      { weight: 30, arbitrary: plausible },
      { weight: 2, arbitrary: reference },
      { weight: 3, arbitrary: value },
    );
    const body = fc.dictionary(fc.constantFrom(...fields, "id"), field, { maxKeys: 5 });
    return fc.record({
      method: fc.constant(method),
      path: id.map((text) => path.replace(/\{\w+\}/, () => text)),
      body: fc.oneof({ weight: 40, arbitrary: body }, value),
    });
  });
  const usual = fc.constantFrom<Operation>(
    { method: "POST", path: "/todos", body: { title: "a", recurrence: "FREQ=DAILY" } },
    { method: "POST", path: "/habits", body: { name: "b", type: "good", frequency: "daily" } },
    { method: "POST", path: `/todos/${ids.todo_id}/toggle` },
    { method: "PATCH", path: `/todos/${ids.todo_id}`, body: { category_id: ids.category_id } },
    { method: "DELETE", path: `/habits/${ids.habit_id}/complete` },
  );
  const operation = fc.oneof<fc.Arbitrary<Operation>[]>(odd, usual);
  const keyed = fc
    .tuple(operation, fc.option(fc.constantFrom("k1", "k2"), { nil: undefined }))
    .map(([one, key]) => ({ ...one, ...(key !== undefined && { idempotency_key: key }) }));
  const some = fc.array(keyed, { minLength: 1, maxLength: 6 });
  return fc.record({
    operations: fc.oneof({ weight: 20, arbitrary: some }, fc.array(value), value),
    atomic: fc.oneof({ weight: 30, arbitrary: fc.boolean() }, value),
  });
}
