import { type Html, html } from "../../../../shared/html.ts";
import { cacheable } from "../../../http/response.ts";
import { copyScript, findScript } from "../../../web/assets.ts";
import { guideLines } from "../../../web/connect-guides.ts";
import { layout, pageHeaders } from "../../../web/page.ts";
import type { OpenApiDocument } from "../openapi/document.ts";
import type {
  Answer,
  ComponentRef,
  JsonSchema,
  Operation,
  Parameter,
  SchemaFields,
} from "../openapi/schemas.ts";

const operationName = ({ method, path }: Addressed): string => `${method} ${path}`;

const jsonBlock = (value: unknown): Html =>
  html`<pre class="example"><code>${JSON.stringify(value, null, 2)}</code></pre>`;

/** The section of an operation: the lines to paste, what can be sent, and what is answered. */
function operationSection(document: OpenApiDocument, server: string, addressed: Addressed): Html {
  const { operation } = addressed;
  const { operationId, summary, description } = operation;
  return html`<section class="card" id="${operationId}" aria-labelledby="${operationId}-name">
    <h3 id="${operationId}-name"><a href="#${operationId}"><code>${operationName(addressed)}</code></a></h3>
    <p>${summary}. <span class="quiet">${description}</span></p>
    ${guideLines({ client: operationId, lines: curlLines(server, addressed) })}
    ${parametersOf(document, operation)}
    ${bodyOf(document, operation)}
    ${answersOf(operation)}
    </section>`;
}

const fold = (title: string, body: Html): Html => html`<details><summary>${title}</summary>${body}</details>`;

function parametersOf({ components }: OpenApiDocument, { parameters }: Operation): Html {
  const known: Readonly<Record<string, Parameter>> = components.parameters;
  const all = parameters.flatMap((one) => ("$ref" in one ? (known[componentName(one.$ref)] ?? []) : one));
  const shown = all.map((one) => fieldEntry(one.name, one.schema, one.required, one.description));
  return fold("Parameters and headers", html`<dl class="fields">${shown}</dl>`);
}

function bodyOf({ components }: OpenApiDocument, { requestBody }: Operation): Html | undefined {
  const schema = requestBody?.content["application/json"].schema;
  if (schema === undefined) return undefined;
  const { properties = {}, required } = components.schemas[componentName(schema.$ref ?? "")] ?? schema;
  return fold("Body", fieldList(properties, required));
}

const isReference = (answer: Answer | ComponentRef): answer is ComponentRef => "$ref" in answer;

function answersOf({ operationId, responses }: Operation): Html[] {
  const all = Object.entries(responses);
  const others = all.flatMap(([status, answer]) => (isReference(answer) ? [link(status, answer)] : []));
  const own = all.flatMap(([status, answer]) =>
    isReference(answer) ? [] : [ownAnswer(operationId, status, answer)],
  );
  return [...own, html`<p class="small">Also: ${others}</p>`];
}

function link(status: string, { $ref }: ComponentRef): Html {
  const name = componentName($ref);
  return html`<a href="#response-${name}">${status} ${name}</a> `;
}

function ownAnswer(operationId: string, status: string, { headers, content }: Answer): Html {
  const names = Object.keys(headers).map((name) => html`<a href="#header-${name}">${name}</a> `);
  const { schema, examples } = Object.values(content ?? {})[0] ?? {};
  const body = schema && html`<p>${typeInWords(schema)}</p>${jsonBlock(examples?.[operationId]?.value)}`;
  return fold(`Answer ${status}`, html`${body}<p class="small">Headers: ${names}</p>`);
}

/** GET /docs: the OpenAPI document for people. It is made at the first request and is the same for everybody. */
export function referencePage(document: () => OpenApiDocument): () => Response {
  const headers = { ...pageHeaders([], true), "Cache-Control": cacheable["cache-control"] };
  let text: string | undefined;
  return () => {
    text ??= layout(content(document()), "/");
    return new Response(text, { headers });
  };
}

const content = (document: OpenApiDocument) => ({
  title: "REST API",
  corner: html`<a href="/account">Your account</a>`,
  scripts: [copyScript, findScript],
  body: body(document),
});

type Group = Readonly<{ name: string; description: string; operations: readonly Addressed[] }>;

function groupsOf({ tags, paths }: OpenApiDocument): Group[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  return tags.map((tag) => ({
    ...tag,
    operations: all.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
}

function body(document: OpenApiDocument): Html {
  const server = document.servers.map(({ url }) => url).join();
  const groups = groupsOf(document);
  const { schemas, responses, headers } = document.components;
  return html`<p>Each request needs a token: <a href="/account/connect">how to get one</a>. The lines below take it from
    this variable. <a href="/openapi.json">The same document</a> is there for programs.</p>
    ${guideLines({ client: "the token", lines: "export KEPT_TOKEN=…" })}
    <p><input type="search" id="find" aria-label="Search the API" placeholder="Search the API" hidden>
    <span id="found" class="quiet small" role="status"></span></p>
    <nav class="contents" aria-label="Operations">${groups.map(contents)}</nav>
    ${groups.map(({ name, description, operations }) => [
      html`<h2>${name}</h2><p>${description}</p>`,
      operations.map((one) => operationSection(document, server, one)),
    ])}
    <h2>Other answers</h2>${Object.entries(responses).map(responseSection)}
    <h2>Headers of answers</h2><dl class="fields">${Object.entries(headers).map(headerEntry)}</dl>
    <h2>Schemas</h2>${Object.entries(schemas).map(schemaSection)}
    <p class="unseen" role="status" id="copied"></p>`;
}

const contents = ({ name, operations }: Group): Html =>
  html`<p><strong>${name}</strong></p><ul class="plain">${operations.map(
    (one) => html`<li><a href="#${one.operation.operationId}"><code>${operationName(one)}</code></a></li>`,
  )}</ul>`;

function responseSection([name, { description, content }]: [string, Answer]): Html {
  const [example] = Object.values(Object.values(content ?? {})[0]?.examples ?? {});
  return html`<section class="card" id="response-${name}" aria-labelledby="response-${name}-name">
    <h3 id="response-${name}-name">${name}</h3><p>${prose(description)}</p>${example && jsonBlock(example.value)}
    </section>`;
}

type Header = OpenApiDocument["components"]["headers"][keyof OpenApiDocument["components"]["headers"]];

const headerEntry = ([name, { schema, description, example }]: [string, Header]): Html =>
  html`<div id="header-${name}"><dt><code>${name}</code></dt>
    <dd><span class="quiet">${typeInWords(schema)}</span><br>${prose(description)}<br><code>${example}</code></dd></div>`;

const componentName = ($ref: string): string => $ref.slice($ref.lastIndexOf("/") + 1);

/** Markdown's only sign in the document's texts is the backtick. */
const prose = (text: string): Html[] =>
  text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));

const between = (parts: readonly Html[], separator: string): Html[] =>
  parts.map((part, index) => (index === 0 ? part : html`${separator}${part}`));

const literals = (values: readonly unknown[]): Html[] =>
  between(
    values.map((value) => html`<code>${JSON.stringify(value)}</code>`),
    ", ",
  );

/** The type of a value in words, with links to named schemas. */
function typeInWords(schema: JsonSchema): Html {
  const { $ref, anyOf, items, additionalProperties } = schema;
  if ($ref !== undefined) {
    const name = componentName($ref);
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (anyOf) return html`${between(anyOf.map(typeInWords), " or ")}`;
  if (schema.enum) return html`one of ${literals(schema.enum)}`;
  if (schema.const !== undefined) return html`${literals([schema.const])}`;
  if (items) return html`list of ${typeInWords(items)}`;
  if (additionalProperties) return html`object with values of ${typeInWords(additionalProperties)}`;
  return html`${schema.format ?? schema.type ?? "any value"}`;
}

const fieldEntry = (name: string, schema: JsonSchema, isRequired: boolean, description?: string): Html => {
  const said = description ?? schema.description;
  return html`<div><dt><code>${name}</code>${isRequired && html` <span class="badge">required</span>`}</dt>
    <dd><span class="quiet">${typeInWords(schema)}</span>${said !== undefined && html`<br>${prose(said)}`}
    ${schema.properties && fieldList(schema.properties, schema.required)}</dd></div>`;
};

const fieldList = (all: SchemaFields, required: readonly string[] = []): Html =>
  html`<dl class="fields">${Object.entries(all).map(([name, schema]) => fieldEntry(name, schema, required.includes(name)))}</dl>`;

/** A named schema with an anchor: its fields, or its type in words. */
const schemaSection = ([name, schema]: readonly [string, JsonSchema]): Html =>
  html`<section class="card" id="schema-${name}" aria-labelledby="schema-${name}-name">
    <h3 id="schema-${name}-name">${name}</h3>
    ${schema.description !== undefined && html`<p>${prose(schema.description)}</p>`}
    ${schema.properties ? fieldList(schema.properties, schema.required) : html`<p class="quiet">${typeInWords(schema)}</p>`}
    </section>`;

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
