import { defineEntity, type InferEntity } from "@mikro-orm/core";
import { categoryFields } from "../../contracts/category/fields.ts";
import { authors, columnsOf, id, owner, timestamps } from "./columns.ts";

export const CategoryEntity = defineEntity({
  name: "Category",
  tableName: "categories",
  properties: { user_id: owner(), id: id(), ...columnsOf(categoryFields), ...authors, ...timestamps },
});

export type CategoryRow = InferEntity<typeof CategoryEntity>;
