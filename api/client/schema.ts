/** The types of the OpenAPI document. In the package, that very file stands in place of this one's declarations. */
export type { components, operations, paths } from "../../docs/openapi.d.ts";
