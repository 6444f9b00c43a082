/** A writer other than the person: a token and the name of its app, or an import, which has no token. */
export type Author = Readonly<{ tokenId: string; name: string | null }>;

export const importer: Author = { tokenId: "", name: "import" };

/** Rows keep an author on two lines, because neither part can have one. Null stands for the person. */
export const storedAuthor = ({ tokenId, name }: Author): string => `${tokenId}\n${name ?? ""}`;

type Stored = string | null | undefined;

/** @returns null for the person */
export const nameOfAuthor = (stored: Stored): string | null =>
  stored == null ? null : stored.slice(stored.indexOf("\n") + 1) || "an app without a name";

/**
 * An app gets new tokens every hour, so its name tells it; a token without a name stands for itself.
 * @param reader without a token for the person
 * @returns null if the reader or the person wrote it
 */
export function otherAuthor(stored: Stored, reader: Author): string | null {
  const name = nameOfAuthor(stored);
  const isOwn = reader.name === null ? stored?.startsWith(`${reader.tokenId}\n`) : reader.name === name;
  return reader.tokenId !== "" && isOwn ? null : name;
}

/** The words of a thing, which have one writer: the last. */
const texts = ["name", "title", "description"] as const;

type Columns = Readonly<Partial<Record<(typeof texts)[number] | "updated_at", unknown>>>;

type Signature = Record<"created_by" | "changed_by" | "written_by", string | null>;

/** A row as handlers give it: without its user, and with authors only where the unit of work must not sign it. */
export type Unsigned<Row> = Omit<Row, "user_id" | keyof Signature> & {
  [Column in keyof Signature]?: Signature[Column] | undefined;
};

/** The columns of a new row that name its author. */
export const signedNew = (author: string | null): Signature => ({
  created_by: author,
  changed_by: author,
  written_by: author,
});

/** The columns that a change signs. Without a new `updated_at` it only follows from another. */
export function signedChange(author: string | null, row: object, patch: object): Partial<Signature> {
  const before: Columns = row;
  const changed: Columns = patch;
  const isWritten = texts.some((text) => changed[text] !== undefined && changed[text] !== before[text]);
  return {
    ...(changed.updated_at !== undefined && { changed_by: author }),
    ...(isWritten && { written_by: author }),
  };
}
