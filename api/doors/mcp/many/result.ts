import { hideCategories } from "../../../../shared/contracts/category/name.ts";
import type { ManyInput, ManyOutput } from "../../../../shared/contracts/kernel/many.ts";
import type { Form } from "../../../../shared/contracts/kernel/tool.ts";
import type { ToolResult } from "../../../../shared/contracts/kernel/tool-result.ts";
import { withPresentExamples } from "../../../../shared/domain/day/example-dates.ts";
import { isRefused } from "../../../../shared/errors.ts";
import type { Fields } from "../../../http/input/validate.ts";
import type { Success } from "../target.ts";

/** The result of each thing, in the order of the call. */
export function manyResult(form: Form, { body, input, actor, today }: Success): ToolResult {
  const { ends } = body as ManyOutput;
  const { items, shared = {} } = input as ManyInput;
  const results = ends.map((end, index): ToolResult => {
    const item = items[index];
    const own = item === undefined || isRefused(item) ? {} : item.input;
    if (!isRefused(end)) return form.result(end.body, { ...shared, ...own });
    const refusal = withPresentExamples(hideCategories(end, actor.scopes).refusal, today.date);
    const { code, message, errors } = refusal;
    const which = refusedThing({ ...shared, ...own });
    return {
      lines: [`${which?.words ?? `Number ${index + 1}`} was refused: ${message}`],
      facts: { ...which?.facts, code, message, ...(errors && { errors }) },
    };
  });
  const done = ends.filter((end) => !isRefused(end)).length;
  return {
    lines: [`${done} of ${ends.length} done.`, ...results.flatMap(({ lines }) => lines)],
    facts: { done, results: results.map(({ facts }) => facts) },
    reachesNobody: results.some(({ reachesNobody }) => reachesNobody),
    canReturn: results.some(({ canReturn }) => canReturn),
  };
}

/** The thing that was refused, and the day if there is one; undefined for a new thing. */
function refusedThing({ todo_id, habit_id, date }: Fields) {
  const id = todo_id ?? habit_id;
  if (id === undefined) return undefined;
  const words = date === undefined ? `#${id}` : `#${id} on ${date}`;
  const facts = {
    ...(todo_id === undefined ? { habit_id } : { todo_id }),
    ...(date !== undefined && { date }),
  };
  return { words, facts };
}
