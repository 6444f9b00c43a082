import { expect, test } from "bun:test";
import { contracts } from "../../shared/contracts/catalogue.ts";
import { type JsonBody, startStack } from "../harness.ts";

const { config } = await startStack();

test("the OpenAPI document has every route of every contract, with its fields", async () => {
  const document = (await (await fetch(`${config.baseUrl}/openapi.json`)).json()) as JsonBody;
  const routes = contracts.flatMap(({ rest = [] }) => rest.map(({ method, path }) => `${method} ${path}`));
  const documented = Object.entries(document.paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(documented.sort()).toEqual(routes.sort());
  const put = document.paths["/habits/{habit_id}"].put.requestBody.content["application/json"].schema;
  expect(put.required).toEqual(["name", "type", "frequency"]);
  expect(document.paths["/todos"].get.parameters.map(({ name }: { name: string }) => name)).toEqual([
    ...["status", "due", "context", "time_of_day", "page"],
  ]);
});
