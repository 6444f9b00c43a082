import type { Operation, Parameter } from "../openapi/schemas.ts";

/** An operation and its address: the method in capitals, the path below the server's address. */
export type Addressed = Readonly<{ method: string; path: string; operation: Operation }>;

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export function exampleBody({ operationId, requestBody }: Operation): unknown {
  return requestBody?.content["application/json"].examples[operationId]?.value;
}

/** The example of an operation as lines for a shell whose KEPT_TOKEN holds a token. */
export function curlLines(server: string, { method, path, operation }: Addressed): string {
  const url = quoted(`${server}${exampleAddress(path, operation.parameters.filter(isParameter))}`);
  const body = exampleBody(operation);
  const parts = [
    `curl -H "Authorization: Bearer $KEPT_TOKEN" ${method === "GET" ? "" : `-X ${method} `}${url}`,
    ...(body === undefined
      ? []
      : ['-H "Content-Type: application/json"', `-d ${quoted(JSON.stringify(body, null, 2))}`]),
  ];
  return parts.join(" \\\n  ");
}

const isParameter = (one: Operation["parameters"][number]): one is Parameter => !("$ref" in one);

function exampleAddress(path: string, parameters: readonly Parameter[]): string {
  const shown = parameters.filter(({ example }) => example !== undefined);
  const query = new URLSearchParams();
  let address = path;
  for (const { name, in: place, example } of shown) {
    if (place === "path") address = address.replace(`{${name}}`, encodeURIComponent(String(example)));
    else if (place === "query") query.set(name, String(example));
  }
  return query.size > 0 ? `${address}?${query}` : address;
}
