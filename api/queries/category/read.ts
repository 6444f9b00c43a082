import { refuseCategory } from "../../../shared/contracts/category/fields.ts";
import { type CategoryRefRow, presentCategory } from "../../../shared/db/present.ts";
import { own, selectFrom, statement, statements } from "../../../shared/db/reads/statement.ts";
import { categoriesNamed } from "../../../shared/domain/category/by-name.ts";
import { notFound, type Refused } from "../../../shared/errors.ts";
import type { QueryContext, QueryHandler } from "../engine/context.ts";
import { countOf, type Extent, firstRows, readPage } from "../engine/pagination.ts";

const categories = selectFrom(own("categories").as("c"));
const total = categories.select(countOf.as("total"));

const categoryPage = statements({ offset: "bigint" }, (value, extent: Extent) =>
  categories.selectAll("c").select(total.as("total")).orderBy("c.id").modifyEnd(firstRows(extent, value)),
);

export const readCategories: QueryHandler<"category.list"> = (query, input) =>
  readPage(query, input, {
    path: "categories",
    rows: (extent, offset) => categoryPage(extent, { offset }),
    present: (rows) => rows.map(presentCategory),
  });

const categoryById = statement({ id: "bigint" }, (value) =>
  categories.selectAll("c").where("c.id", "=", value("id")),
);

export const readCategory: QueryHandler<"category.get", Refused> = async ({ rows }, { category_id: id }) => {
  const [row] = await rows(categoryById({ id }));
  return row ? presentCategory(row) : notFound("Category");
};

const categoryRefs = statement({}, () => categories.select(["c.id", "c.name", "c.color"]).orderBy("c.id"));

/** All categories of the user, oldest first; a quota bounds their number. */
export const readCategoryRefs = ({ rows }: QueryContext): Promise<CategoryRefRow[]> => rows(categoryRefs({}));

/** The ids of the categories that a name means, or the refusal that lists the known ones. */
export async function categoryIdsOf(query: QueryContext, name: string): Promise<number[] | Refused> {
  const categories = await readCategoryRefs(query);
  const found = categoriesNamed(categories, name);
  return found.length > 0 ? found.map(({ id }) => id) : refuseCategory(categories);
}

type CategoryColumns = { category_name: string | null; category_color: string | null };

/** @returns undefined when the row has no category */
export function categoryOf(
  row: CategoryColumns & { category_id?: number | null | undefined },
): CategoryRefRow | undefined {
  const { category_id: id, category_name: name, category_color: color } = row;
  return id == null || name === null || color === null ? undefined : { id, name, color };
}
