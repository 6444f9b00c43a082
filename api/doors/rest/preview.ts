import { Type } from "typebox";
import { Flag } from "../../../shared/contracts/kernel/fields.ts";
import { isRefused, type Refused } from "../../../shared/errors.ts";
import { queryFields, repeatedParameters } from "../../http/input/query-fields.ts";
import { validate } from "../../http/input/validate.ts";
import type { Target } from "./route.ts";

/** Every change takes this parameter, whatever its contract. */
const parameter = Type.Object({ preview: Type.Optional(Flag) });

export function readPreview(query: URLSearchParams): Readonly<{ preview?: boolean }> | Refused {
  if (!query.has("preview")) return {};
  const unknown = repeatedParameters(parameter, query);
  const read = validate({ input: parameter }, queryFields(parameter, query), { unknown });
  return isRefused(read) ? read : read.input;
}

/** A request of its own can be previewed, an operation of a group only with its group. */
export const previewable = (target: Target): Target => ({
  ...target,
  inQuery: { ...target.inQuery, names: [...target.inQuery.names, "preview"] },
});
