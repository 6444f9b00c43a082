import { presentCategory } from "../../../shared/db/present.ts";
import type { Handler } from "../handler.ts";
import { insertCategory } from "./insert.ts";

export const categoryCreate: Handler<"category.create"> = {
  stores: "more",
  makes: "categories",
  run(context, input) {
    return context.useQuota("categories") ?? presentCategory(insertCategory(context, input));
  },
};
