import type { Contract } from "../../../../shared/contracts/catalogue.ts";
import { IdempotencyKey } from "../../../../shared/contracts/kernel/fields.ts";
import { headersOf, rateLimit } from "./headers.ts";
import type { Schemas } from "./schemas.ts";
import type { Parameter } from "./shape.ts";

const tags = { type: "string" };

/** The headers that requests may have, as components of the document. */
export const headerParameters = (schemas: Schemas) =>
  ({
    IdempotencyKey: {
      name: "Idempotency-Key",
      in: "header",
      required: false,
      description: "The same key with the same request answers the first outcome again; kept for 24 hours.",
      schema: schemas.show(IdempotencyKey),
      example: "2b0f9a52-5a7c-4a3e-9d3c-8f1f7a0c6c11",
    },
    IfMatch: {
      name: "If-Match",
      in: "header",
      required: false,
      description:
        "Entity tags of the states that may be changed, or `*`; in any other state nothing is changed.",
      schema: tags,
    },
    IfNoneMatch: {
      name: "If-None-Match",
      in: "header",
      required: false,
      description: "Entity tags of the states that the caller has; if it is one of them the answer is 304.",
      schema: tags,
    },
  }) satisfies Record<string, Parameter>;

type HeaderParameter = keyof ReturnType<typeof headerParameters>;

/** References to the request headers of a contract. */
export function headerParametersOf({ kind, resource }: Contract) {
  const names: HeaderParameter[] =
    kind === "query" ? ["IfNoneMatch"] : resource ? ["IdempotencyKey", "IfMatch"] : ["IdempotencyKey"];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

/** The answer to a read whose caller has the present state, as a component of the document. */
export const notModified = {
  description: "The resource is still in a state that If-None-Match names",
  headers: headersOf("ETag", ...rateLimit),
};
