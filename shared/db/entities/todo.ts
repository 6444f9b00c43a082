import { defineEntity, type InferEntity } from "@mikro-orm/core";
import { todoFields } from "../../contracts/todo/fields.ts";
import { authors, columnsOf, formerCategory, id, owner, timestamps } from "./columns.ts";

export const TodoEntity = defineEntity({
  name: "Todo",
  tableName: "todos",
  properties: {
    user_id: owner(),
    id: id(),
    ...columnsOf(todoFields),
    ...formerCategory,
    ...authors,
    ...timestamps,
  },
});

export type TodoRow = InferEntity<typeof TodoEntity>;
