import { Type } from "typebox";
import { Clearable, Id, Nullable, Timestamp, titled } from "./fields.ts";

export const Color = titled(
  "Color",
  Type.String({
    pattern: "^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$",
    expects: "a hex color such as #6b7280",
  }),
);
export const Icon = titled(
  "Icon",
  Type.String({
    pattern: "^[a-z0-9-]+$",
    maxLength: 64,
    expects: "an icon name of at most 64 characters from a-z, 0-9 and -",
  }),
);

/** The category as it is shown within habits and todos. */
export const CategoryRef = titled(
  "CategoryRef",
  Type.Object({ id: Id, name: Type.String(), color: Type.String() }),
);

export const Category = titled(
  "Category",
  Type.Object({
    id: Id,
    name: Type.String(),
    color: Type.String(),
    icon: Nullable(Type.String()),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);

/** The optional fields that both create and update take. */
export const categoryFields = { color: Clearable(Color), icon: Clearable(Icon) };
