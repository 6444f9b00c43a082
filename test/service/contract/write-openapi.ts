import { join } from "node:path";
import { openApiDocument } from "../../../api/doors/rest/openapi/document.ts";
import { loadCommonConfig } from "../../../shared/process/config.ts";

/** The committed copy of the OpenAPI document, of a service with default settings at any address. */
export const openApiCopy = join(import.meta.dir, "../../../docs/openapi.json");

export const openApiText = (): string =>
  `${JSON.stringify(openApiDocument("", loadCommonConfig({})), null, 2)}\n`;

/** `npm run openapi` */
if (import.meta.main) await Bun.write(openApiCopy, openApiText());
