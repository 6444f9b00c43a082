import { Type } from "typebox";
import { color, line, optional, required, usually } from "../kernel/declared-fields.ts";
import { Color, Name, titled } from "../kernel/fields.ts";

const Icon = titled(
  "Icon",
  Type.String({
    pattern: "^[a-z0-9-]+$",
    maxLength: 64,
    expects: "an icon name of at most 64 characters from a-z, 0-9 and -",
  }),
);

export const categoryFields = {
  name: required(line(Name), { label: "Name", meaning: "The name that people read" }),
  color: usually(color(Color), "#6b7280", { label: "Colour", meaning: "Its colour on pages and in apps" }),
  icon: optional(line(Icon), {
    label: "Icon",
    hint: "The name of an icon, for apps that show one: a-z, 0-9 and -",
  }),
};
