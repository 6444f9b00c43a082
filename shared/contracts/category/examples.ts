import { exampleOf, onlyPage } from "../kernel/example-of.ts";
import { categoryFields } from "./fields.ts";
import { Category } from "./schema.ts";

const exampleCategory = exampleOf(Category, categoryFields, {
  id: 3,
  name: "Health",
  color: "#16a34a",
  icon: "heart",
  created_at: "2026-11-16T08:30:02.104233Z",
  updated_at: "2026-11-16T08:30:02.104233Z",
});

const category_id = exampleCategory.id;
const body = { name: "Body and mind", color: "#0ea5e9" };
const changed = { ...exampleCategory, ...body, updated_at: "2026-11-20T08:30:41.530918Z" };

/** One example for each REST route of categories. */
export const categoryExamples = {
  list: { input: { page: 1 }, output: onlyPage("/categories?", [exampleCategory]) },
  get: { input: { category_id }, output: exampleCategory },
  create: {
    input: { name: "Home", icon: "house" },
    output: exampleOf(Category, categoryFields, {
      id: 4,
      name: "Home",
      icon: "house",
      created_at: "2026-11-20T08:30:41.530918Z",
      updated_at: "2026-11-20T08:30:41.530918Z",
    }),
  },
  replace: { input: { category_id, ...body }, output: changed },
  change: { input: { category_id, icon: null }, output: { ...exampleCategory, icon: null } },
  remove: { input: { category_id }, output: null },
};
