import { type Static, Type } from "typebox";
import { resourceKinds } from "../../domain/vocabulary.ts";
import { Id, Nullable, OneOf, titled, titledObject } from "./fields.ts";

const ChangedFields = titled(
  "ChangedFields",
  Type.Unsafe<Readonly<Record<string, unknown>>>(
    Type.Object(
      {},
      {
        description: "The fields that would change; all of a new or deleted thing",
        additionalProperties: Type.Unknown(),
      },
    ),
  ),
);

export const PreviewedChange = titledObject("PreviewedChange", {
  kind: titled("ResourceKind", OneOf(resourceKinds)),
  /** A new thing gets another id when it is made. */
  id: Id,
  name: Type.String({ description: "The title of a todo, the name of a habit or category" }),
  /** Null for a new thing. */
  before: Nullable(ChangedFields),
  /** Null for a deleted thing. */
  after: Nullable(ChangedFields),
});

export const PreviewAnswer = titledObject("Preview", {
  preview: Type.Literal(true),
  would: Type.Unknown({ description: "The body of the answer without preview; null where it has none" }),
  changes: Type.Array(PreviewedChange),
});

/** The deletion of a category that nothing is in. */
export const examplePreview: Static<typeof PreviewAnswer> = {
  preview: true,
  would: null,
  changes: [
    {
      ...{ kind: "category", id: 3, name: "Home" },
      ...{ before: { name: "Home", color: "#6b7280" }, after: null },
    },
  ],
};

/** A preview is a read, which the log tells from the change by this name. */
export const previewOfTool = (tool: string): string => `${tool} preview`;

export type PreviewedChange = Readonly<Static<typeof PreviewedChange>>;
