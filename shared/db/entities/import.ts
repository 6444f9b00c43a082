import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import { owner, timestamptz } from "./columns.ts";

/** A checked part of a file that waits for its person's confirmation. */
export const ImportPartEntity = defineEntity({
  name: "ImportPart",
  tableName: "import_parts",
  properties: {
    user_id: owner(),
    part: p.integer().primary(),
    /** The file of the part; a file that is chosen later replaces it. */
    import_id: p.string().columnType("uuid"),
    kind: p.text().$type<"categories" | "habits" | "histories" | "todos">(),
    /** The keys of the things in it. */
    keys: p.array().columnType("text[]"),
    /** JSON text: the things in the form of the contract of `import.stage`. */
    content: p.text(),
    created_at: timestamptz(),
  },
});

/** The thing here that was made from a thing of a file. */
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
