import { Type } from "typebox";
import { command, query } from "../kernel/contract.ts";
import { schemasOf } from "../kernel/declared-fields.ts";
import { Id, Name, Page, PageOf } from "../kernel/fields.ts";
import { categoryExamples } from "./examples.ts";
import { categoryFields } from "./fields.ts";
import { Category } from "./schema.ts";

const path = "/categories/{category_id}";

export const listCategories = query({
  name: "category.list",
  scopes: ["categories:read"],
  summary: "List categories",
  rest: [
    {
      operationId: "listCategories",
      method: "GET",
      path: "/categories",
      status: 200,
      example: categoryExamples.list,
    },
  ],
  input: Type.Object({ page: Type.Optional(Page) }),
  output: PageOf(Category),
});

export const getCategory = query({
  name: "category.get",
  resource: "Category",
  scopes: ["categories:read"],
  summary: "View a category",
  rest: [{ operationId: "getCategory", method: "GET", path, status: 200, example: categoryExamples.get }],
  input: Type.Object({ category_id: Id }),
  output: Category,
});

export const createCategory = command({
  name: "category.create",
  scopes: ["categories:write"],
  summary: "Create a category",
  rest: [
    {
      operationId: "createCategory",
      method: "POST",
      path: "/categories",
      status: 201,
      example: categoryExamples.create,
    },
  ],
  input: Type.Object(schemasOf(categoryFields, "create")),
  output: Category,
});

export const updateCategory = command({
  name: "category.update",
  resource: "Category",
  scopes: ["categories:write"],
  summary: "Change a category",
  rest: [
    {
      operationId: "replaceCategory",
      method: "PUT",
      path,
      status: 200,
      required: ["name"],
      example: categoryExamples.replace,
    },
    { operationId: "updateCategory", method: "PATCH", path, status: 200, example: categoryExamples.change },
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
  rest: [
    { operationId: "deleteCategory", method: "DELETE", path, status: 204, example: categoryExamples.remove },
  ],
  input: Type.Object({ category_id: Id }),
  output: Type.Null(),
});
