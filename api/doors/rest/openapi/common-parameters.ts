import type { Contract } from "../../../../shared/contracts/catalogue.ts";
import type { Route } from "../../../../shared/contracts/kernel/contract.ts";
import { Flag, IdempotencyKey } from "../../../../shared/contracts/kernel/fields.ts";
import { headersOf, rateLimit } from "./headers.ts";
import type { Schemas } from "./schemas.ts";
import type { Parameter } from "./shape.ts";

const tags = { type: "string" };

/** The parameters of requests beyond those of contracts, as components of the document. */
export const commonParameters = (schemas: Schemas) =>
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
    LastEventId: {
      name: "Last-Event-ID",
      in: "header",
      required: false,
      description: "The id of the last event that the caller has, instead of `cursor`; browsers send it.",
      schema: tags,
    },
    Preview: {
      name: "preview",
      in: "query",
      required: false,
      description:
        "With `true` nothing is changed, no key is used and nothing is logged. The answer is 200 with a Preview, or the refusal that the request would get.",
      schema: schemas.show(Flag),
    },
  }) satisfies Record<string, Parameter>;

type CommonParameter = keyof ReturnType<typeof commonParameters>;

/** References to the common parameters of a contract's requests. */
export function commonParametersOf({ kind, resource }: Contract, { streams }: Route) {
  const ofChange: CommonParameter[] = [
    "Preview",
    "IdempotencyKey",
    ...(resource ? (["IfMatch"] as const) : []),
  ];
  const names: CommonParameter[] = kind === "command" ? ofChange : [streams ? "LastEventId" : "IfNoneMatch"];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

/** The answer to a read whose caller has the present state, as a component of the document. */
export const notModified = {
  description: "The resource is still in a state that If-None-Match names",
  headers: headersOf("ETag", ...rateLimit),
};
