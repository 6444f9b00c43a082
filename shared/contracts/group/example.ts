import { categoryExamples } from "../category/examples.ts";
import { todoExamples } from "../todo/examples.ts";

const category = categoryExamples.create;
const { id, name, color } = category.output;
const title = "Repair the lamp";

/** A category, and a todo in it. */
export const groupExample = {
  input: {
    operations: [
      { method: "POST" as const, path: "/categories", body: category.input },
      { method: "POST" as const, path: "/todos", body: { title, category_id: "$0.id" } },
    ],
    atomic: true,
  },
  output: {
    results: [
      { status: 201, body: category.output },
      {
        status: 201,
        body: {
          ...todoExamples.create.output,
          title,
          due_date: null,
          recurrence: null,
          category: { id, name, color },
        },
      },
    ],
  },
};
