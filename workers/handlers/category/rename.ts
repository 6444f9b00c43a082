import { refuseCategory } from "../../../shared/contracts/category/name.ts";
import { presentCategory } from "../../../shared/db/present.ts";
import { categoriesNamed } from "../../../shared/domain/category/by-name.ts";
import { allWithoutLock, forUpdate } from "../../unit-of-work/row-request.ts";
import type { Handler } from "../handler.ts";
import { allCategories } from "./chosen.ts";

export const categoryRename: Handler<"category.rename"> = {
  stores: "more",
  rows: () => [allWithoutLock("categories")],
  // An earlier command may rename one of them, so all categories of that name are locked.
  related: ({ categories }, { category }) => ({
    rows: categoriesNamed(categories.all(), category).map(({ id }) => forUpdate("categories", id)),
  }),
  run(context, { category, name }) {
    const known = allCategories(context);
    const [oldest] = categoriesNamed(known, category);
    if (!oldest) return refuseCategory(known);
    return presentCategory(context.categories.update(oldest, { name, updated_at: context.now }));
  },
};
