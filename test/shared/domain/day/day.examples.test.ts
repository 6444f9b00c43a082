import { expect, test } from "bun:test";
import { unknownNames } from "../../../../api/http/input.ts";
import { conflicts } from "../../../../shared/domain/conflicts.ts";
import { examples, hasExampleDate, withPresentExamples } from "../../../../shared/domain/day/day.ts";
import { invalid } from "../../../../shared/errors.ts";

test("examples become dates of the user's day, in the message and for each field", () => {
  const errors = {
    due_date: [`The due_date field must be ${examples.date}.`],
    remind_at: [`The remind_at field must be ${examples.time}.`],
    recurrence: [`The recurrence field must have ${examples.until}.`],
    title: ["The title field is required."],
  };
  const { refusal } = invalid(errors);
  expect(hasExampleDate(refusal)).toBe(true);
  expect(withPresentExamples(refusal, "2026-11-21")).toEqual({
    code: "invalid",
    message: "The due_date field must be a real date such as 2026-11-21. (and 3 more errors)",
    errors: {
      due_date: ["The due_date field must be a real date such as 2026-11-21."],
      remind_at: [
        "The remind_at field must be a time such as 2026-11-22T09:00:00+01:00, or 2026-11-22T09:00 in the user's own zone.",
      ],
      recurrence: ["The recurrence field must have a date such as 20261231 in UNTIL."],
      title: ["The title field is required."],
    },
  });
});

test("dates of the user's own things stay as they are", () => {
  const name = "a real date such as 2026-11-20";
  for (const { refusal } of [
    conflicts.habitCompleted("on 2026-11-20"),
    invalid({ category: ['The category field must name a category: "Trip 2026-11-20", "20261231".'] }),
    invalid({ date: ["The date field must be from 2026-11-20 to 2026-11-21."] }),
    invalid({ category: [`The category field must name a category: "${name}".`] }),
    invalid(unknownNames([`The x field must be ${name}.`], { what: "a field", names: ["title"] })),
  ]) {
    expect(hasExampleDate(refusal)).toBe(false);
    expect(withPresentExamples(refusal, "2027-04-01")).toEqual(refusal);
  }
});
