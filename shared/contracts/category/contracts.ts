import { Type } from "typebox";
import { command, query, route } from "../kernel/contract.ts";
import { onlyPage, schemasOf, withUsual } from "../kernel/declared-fields.ts";
import { Id, Name, Page, PageOf } from "../kernel/fields.ts";
import { Category, categoryFields } from "./fields.ts";

const exampleCategory = withUsual(Category, categoryFields, {
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

export const categoryExamples = {
  list: { input: { page: 1 }, output: onlyPage("/categories?", [exampleCategory]) },
  get: { input: { category_id }, output: exampleCategory },
  create: {
    input: { name: "Home", icon: "house" },
    output: withUsual(Category, categoryFields, {
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

const path = "/categories/{category_id}";

export const listCategories = query({
  name: "category.list",
  scopes: ["categories:read"],
  summary: "List categories",
  rest: [route("listCategories", "GET", "/categories", categoryExamples.list)],
  input: Type.Object({ page: Type.Optional(Page) }),
  output: PageOf(Category),
});

export const getCategory = query({
  name: "category.get",
  resource: "Category",
  scopes: ["categories:read"],
  summary: "View a category",
  rest: [route("getCategory", "GET", path, categoryExamples.get)],
  input: Type.Object({ category_id: Id }),
  output: Category,
});

export const createCategory = command({
  name: "category.create",
  scopes: ["categories:write"],
  summary: "Create a category",
  rest: [route("createCategory", "POST", "/categories", categoryExamples.create, { status: 201 })],
  input: Type.Object(schemasOf(categoryFields, "create")),
  output: Category,
});

export const updateCategory = command({
  name: "category.update",
  resource: "Category",
  scopes: ["categories:write"],
  summary: "Change a category",
  rest: [
    route("replaceCategory", "PUT", path, categoryExamples.replace, { required: ["name"] }),
    route("updateCategory", "PATCH", path, categoryExamples.change),
  ],
  input: Type.Object({ category_id: Id, ...schemasOf(categoryFields, "update") }),
  output: Category,
});

/** Tools rename a category by its name. REST changes it at its own address. */
export const renameCategory = command({
  name: "category.rename",
  // The tool that changes todos has this form, and needs its own scope for each call.
  scopes: ["todos:write", "categories:write"],
  summary: "Rename the category of a name",
  input: Type.Object({ category: Name, name: Name }),
  output: Category,
});

export const deleteCategory = command({
  name: "category.delete",
  apart: true,
  resource: "Category",
  scopes: ["categories:write"],
  summary: "Delete a category; its habits and todos stay, without a category",
  rest: [route("deleteCategory", "DELETE", path, categoryExamples.remove)],
  input: Type.Object({ category_id: Id }),
  output: Type.Null(),
});
