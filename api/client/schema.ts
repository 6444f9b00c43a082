/** The types of the OpenAPI document. In the package that file replaces these declarations. */
export type { components, operations, paths } from "../../docs/openapi.d.ts";
