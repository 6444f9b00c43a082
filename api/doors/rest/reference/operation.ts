import { type Html, html } from "../../../../shared/html.ts";
import { guideLines } from "../../../web/connect-guides.ts";
import type { OpenApiDocument } from "../openapi/document.ts";
import type { Answer, ComponentRef, Operation, Parameter } from "../openapi/shape.ts";
import { type Addressed, curlLines } from "./lines.ts";
import { componentName, fieldEntry, fieldList, typeInWords } from "./schema.ts";

export const operationName = ({ method, path }: Addressed): string => `${method} ${path}`;

export const jsonBlock = (value: unknown): Html =>
  html`<pre class="example"><code>${JSON.stringify(value, null, 2)}</code></pre>`;

/** The section of an operation: the lines to paste, what can be sent, and what is answered. */
export function operationSection(document: OpenApiDocument, server: string, addressed: Addressed): Html {
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
