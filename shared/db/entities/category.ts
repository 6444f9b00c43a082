import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import { id, owner, timestamps } from "./columns.ts";

export const CategoryEntity = defineEntity({
  name: "Category",
  tableName: "categories",
  properties: {
    user_id: owner(),
    id: id(),
    name: p.text(),
    color: p.text(),
    icon: p.text().nullable(),
    ...timestamps,
  },
});

export type CategoryRow = InferEntity<typeof CategoryEntity>;
