import { describe, expect, test } from "bun:test";
import { meanings } from "../../../api/doors/rest/openapi/schemas.ts";
import { contracts } from "../../../shared/contracts/catalogue.ts";
import { parseRecurrence } from "../../../shared/domain/todo/recurrence.ts";
import { type JsonBody, useStack } from "../../harness.ts";
import { clientTypes } from "./write-client-types.ts";
import { openApiCopy, openApiText } from "./write-openapi.ts";

const { config } = await useStack();
const document = (await (await fetch(`${config.baseUrl}/openapi.json`)).json()) as JsonBody;
const routes = contracts.flatMap(({ scopes, rest = [] }) => rest.map((route) => ({ ...route, scopes })));
const operationOf = ({ method, path }: { method: string; path: string }) =>
  document.paths[path][method.toLowerCase()];

/** Every value in the document with its path. */
function* walk(value: unknown, way = "#"): Generator<readonly [way: string, value: JsonBody]> {
  yield [way, value];
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value))
    yield* walk(part, `${way}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
}

const everything = [...walk(document)].filter(
  ([way]) => !/\/(examples?|headers\/[^/]+\/example)\//.test(way),
);

describe("the OpenAPI document", () => {
  test("has every route of every contract, with its fields, scopes and a method name", () => {
    const documented = Object.entries(document.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(documented.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort());
    for (const route of routes)
      expect(operationOf(route)).toMatchObject({
        operationId: expect.stringMatching(/^[a-z]+([A-Z][a-z]+)+$/),
        security: [{ bearer: [] }, { oauth: route.scopes }],
      });
  });

  test("names its schemas: no object and no choice of values stands in the middle of another", () => {
    const inner = everything.filter(
      ([way, value]) =>
        (value?.properties || value?.enum) &&
        !/^#\/components\/(schemas|headers)\/[^/]+(\/schema)?$/.test(way),
    );
    expect(inner.map(([way]) => way)).toEqual([]);
  });

  test("has no keyword of our own validation, and every reference leads somewhere", () => {
    expect(everything.filter(([, value]) => value?.expects !== undefined)).toEqual([]);
    const ways = new Set(everything.map(([way]) => way));
    const references = everything.flatMap(([way, value]) => (way.endsWith("/$ref") ? [value] : []));
    expect(references.filter((reference) => !ways.has(reference))).toEqual([]);
    expect(references.length).toBeGreaterThan(100);
  });

  test("says the meaning of every property and parameter, and has no meaning to spare", () => {
    const properties = everything.filter(([way]) => /\/properties\/\w+$/.test(way));
    const parameters = everything.filter(([way]) => /\/parameters\/\w+$/.test(way));
    const meant = [...properties, ...parameters.filter(([, { $ref }]) => $ref === undefined)];
    expect(meant.filter(([, value]) => !value.description).map(([way]) => way)).toEqual([]);
    expect(meant.length).toBeGreaterThan(400);
    const said = new Set(meant.map(([, { description }]) => description.split(". ")[0]));
    expect(Object.values(meanings).filter((meaning) => !said.has(meaning))).toEqual([]);
  });

  test("has examples of recurrences that Kept accepts", () => {
    for (const example of document.components.schemas.Recurrence.examples)
      expect(parseRecurrence(example)).not.toHaveProperty("error");
  });

  test("says how to sign in at a provider that is not built in: where it describes itself", () => {
    expect(document.components.securitySchemes.oauth).toEqual({
      type: "openIdConnect",
      openIdConnectUrl: `${config.authUrl}/.well-known/openid-configuration`,
    });
  });

  test("is the one in docs/openapi.json, which `npm run openapi` writes", async () => {
    expect(await Bun.file(openApiCopy).text()).toBe(openApiText());
    const { paths, components } = JSON.parse(openApiText());
    expect(document.paths).toEqual(paths);
    expect(document.components.schemas).toEqual(components.schemas);
  });

  test("has its types in docs/openapi.d.ts, which `npm run openapi` writes too, in at most 1,450 lines", async () => {
    const types = await Bun.file(clientTypes).text();
    const { paths, components } = JSON.parse(openApiText());
    const operations = Object.values<JsonBody>(paths).flatMap((path) => Object.values<JsonBody>(path));
    const named = [
      ...operations.map(({ operationId }) => `${operationId}: {`),
      ...Object.keys(paths).map((path) => `"${path}": {`),
      ...Object.keys(components.schemas).map((schema) => `${schema}:`),
    ];
    expect(
      named.filter((name) => !types.includes(`\n    ${name}`) && !types.includes(`\n  ${name}`)),
    ).toEqual([]);
    expect(types.split("\n").length).toBeLessThanOrEqual(1_450);
  });
});
