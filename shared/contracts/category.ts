import { Type } from "typebox";
import { command, query } from "./contract.ts";
import { Clearable, Id, Name, Nullable, Page, PageOf, Timestamp } from "./fields.ts";

const Color = Type.String({
  pattern: "^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$",
  expects: "a hex color such as #6b7280",
});
const Icon = Type.String({
  pattern: "^[a-z0-9-]+$",
  maxLength: 64,
  expects: "an icon name of at most 64 characters from a-z, 0-9 and -",
});

/** The category as it is shown within habits and todos. */
export const CategoryRef = Type.Object({ id: Id, name: Type.String(), color: Type.String() });

export const Category = Type.Object({
  id: Id,
  name: Type.String(),
  color: Type.String(),
  icon: Nullable(Type.String()),
  created_at: Timestamp,
  updated_at: Timestamp,
});

const fields = { color: Clearable(Color), icon: Clearable(Icon) };
const path = "/categories/{category_id}";

export const listCategories = query({
  name: "category.list",
  scopes: ["categories:read"],
  summary: "List categories",
  rest: [{ method: "GET", path: "/categories", status: 200 }],
  input: Type.Object({ page: Type.Optional(Page) }),
  output: PageOf(Category),
});

export const getCategory = query({
  name: "category.get",
  resource: "Category",
  scopes: ["categories:read"],
  summary: "View a category",
  rest: [{ method: "GET", path, status: 200 }],
  input: Type.Object({ category_id: Id }),
  output: Category,
});

export const createCategory = command({
  name: "category.create",
  scopes: ["categories:write"],
  summary: "Create a category",
  rest: [{ method: "POST", path: "/categories", status: 201 }],
  input: Type.Object({ name: Name, ...fields }),
  output: Category,
});

export const updateCategory = command({
  name: "category.update",
  resource: "Category",
  scopes: ["categories:write"],
  summary: "Change a category",
  rest: [
    { method: "PUT", path, status: 200, required: ["name"] },
    { method: "PATCH", path, status: 200 },
  ],
  input: Type.Object({ category_id: Id, name: Type.Optional(Name), ...fields }),
  output: Category,
});

export const deleteCategory = command({
  name: "category.delete",
  resource: "Category",
  scopes: ["categories:write"],
  summary: "Delete a category; its habits and todos stay, without a category",
  rest: [{ method: "DELETE", path, status: 204 }],
  input: Type.Object({ category_id: Id }),
  output: Type.Null(),
});
