import type { TObject, TSchema } from "typebox";
import { type Fields, validate } from "../../../api/http/input.ts";
import { contracts, type QueryName } from "../../../shared/contracts/catalogue.ts";
import { isRefused } from "../../../shared/errors.ts";
import { idAt } from "../../labs/bench/seed.ts";
import { wordsIn } from "../../support/text-table.ts";

/** Values for query fields without an enumeration, so that each form of a statement occurs. */
const samples: Record<string, readonly unknown[]> = {
  page: [2],
  wait: [0],
  limit: [10],
  context: ["desk"],
  q: ["heating"],
  line: ["Pay rent on Friday"],
  query: ["heating"],
  category: ["Home"],
  due_from: ["2026-11-01"],
  due_to: ["2030-01-01"],
  due_by: ["2030-01-01"],
  done_since: ["2026-11-01"],
  done_through: ["2026-11-30"],
  due_on: ["2030-01-01"],
  has_reminder: [true, false],
  completed_today: [true, false],
  overdue_only: [true],
  count_by_category: [true],
  all: [true],
  cursor: [
    ...wordsIn("2026-11-20.morning.7 2026-11-20.-.7 2026-11-20T14:30.morning.7 -.morning.7 -.-.7"),
    "done.2026-11-20.2026-11-20T10:00:00.000000Z.7",
    7,
    "8c1f20a57d3be964.1.1.3.0.7",
    "2026-11-20T10:00:00.000000Z_0192d3a0-0000-7000-8000-000000000000",
    7,
  ],
  kinds: [["change", "refusal"], ["read"]],
  token_id: ["token"],
  thing: ["todo/5"],
  tool: ["create-todo"],
  outcome: ["ok"],
  undoable: [true],
  from: ["2026-11-01T00:00:00Z", "2026-11-01"],
  to: ["2030-01-01T00:00:00Z", "2026-11-30"],
  todo_id: [idAt(0, 0)],
  habit_id: [idAt(0, 0)],
  category_id: [1],
  approval_id: ["0192d3a0-0000-7000-8000-000000000000"],
  webhook_id: ["0192d3a0-0000-7000-8000-000000000000"],
};

type QueryCall = Readonly<{ name: QueryName; input: Fields }>;

/** More fields at once give no new form of a statement, and there would be thousands of combinations. */
const mostFields = (properties: object): number => (Object.keys(properties).length > 10 ? 2 : 4);

/** Every query with every combination of a few optional fields. @throws on a field without a value here */
export function everyQuery(): QueryCall[] {
  return contracts.flatMap((contract) => {
    if (contract.kind !== "query") return [];
    const inputs = combinations(contract.input).filter((fields) => !isRefused(validate(contract, fields)));
    const unused = Object.keys(contract.input.properties).filter(
      (field) => !inputs.some((input) => field in input),
    );
    if (unused.length > 0) throw new Error(`${contract.name} needs a sample of: ${unused.join(", ")}`);
    return inputs.map((input) => ({ name: contract.name, input }));
  });
}

function combinations({ properties }: TObject): Fields[] {
  const all: Fields[] = [{}];
  const most = mostFields(properties);
  for (const [field, schema] of Object.entries(properties)) {
    const others = [...all];
    for (const value of valuesOf(field, schema))
      all.push(
        ...others
          .filter((other) => Object.keys(other).length < most)
          .map((other) => ({ ...other, [field]: value })),
      );
  }
  return all;
}

const valuesOf = (field: string, schema: TSchema): readonly unknown[] =>
  "enum" in schema && Array.isArray(schema.enum) ? schema.enum : (samples[field] ?? []);
