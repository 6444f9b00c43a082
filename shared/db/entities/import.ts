import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import { owner, timestamptz } from "./columns.ts";

/** A part of what a file has, checked, as it waits for its person to say yes. */
export const ImportPartEntity = defineEntity({
  name: "ImportPart",
  tableName: "import_parts",
  properties: {
    user_id: owner(),
    part: p.integer().primary(),
    /** The file that the part is of: one that was chosen later takes the places of an earlier one. */
    import_id: p.string().columnType("uuid"),
    kind: p.text().$type<"categories" | "habits" | "histories" | "todos">(),
    /** The keys of the things in it. */
    keys: p.array().columnType("text[]"),
    /** JSON text: the things, as the contract of `import.stage` has them. */
    content: p.text(),
    created_at: timestamptz(),
  },
});

/** The thing that a thing of a file has become here. */
export const ImportKeyEntity = defineEntity({
  name: "ImportKey",
  tableName: "import_keys",
  properties: {
    user_id: owner(),
    key: p.text().primary(),
    /** One of `deletionKinds`. */
    kind: p.smallint(),
    id: p.bigint("number"),
    created_at: timestamptz(),
  },
});

export type ImportPartRow = InferEntity<typeof ImportPartEntity>;
export type ImportKeyRow = InferEntity<typeof ImportKeyEntity>;
