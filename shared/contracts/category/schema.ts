import { Type } from "typebox";
import { schemasOf } from "../kernel/declared-fields.ts";
import { Id, Timestamp, titled } from "../kernel/fields.ts";
import { categoryFields } from "./fields.ts";

/** The category within habits and todos. */
export const CategoryRef = titled(
  "CategoryRef",
  Type.Object({ id: Id, name: Type.String(), color: Type.String() }),
);

export const Category = titled(
  "Category",
  Type.Object({
    id: Id,
    ...schemasOf(categoryFields, "shown"),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);
