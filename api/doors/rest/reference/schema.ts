import { type Html, html } from "../../../../shared/html.ts";
import type { JsonSchema, SchemaFields } from "../openapi/shape.ts";

export const componentName = ($ref: string): string => $ref.slice($ref.lastIndexOf("/") + 1);

/** Markdown's only sign in the document's texts is the backtick. */
export const prose = (text: string): Html[] =>
  text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));

const between = (parts: readonly Html[], separator: string): Html[] =>
  parts.map((part, index) => (index === 0 ? part : html`${separator}${part}`));

const literals = (values: readonly unknown[]): Html[] =>
  between(
    values.map((value) => html`<code>${JSON.stringify(value)}</code>`),
    ", ",
  );

/** The type of a value in words, with links to named schemas. */
export function typeInWords(schema: JsonSchema): Html {
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

/** One field or parameter of a list. */
export const fieldEntry = (
  name: string,
  schema: JsonSchema,
  isRequired: boolean,
  description?: string,
): Html => {
  const said = description ?? schema.description;
  return html`<div><dt><code>${name}</code>${isRequired && html` <span class="badge">required</span>`}</dt>
    <dd><span class="quiet">${typeInWords(schema)}</span>${said !== undefined && html`<br>${prose(said)}`}
    ${schema.properties && fieldList(schema.properties, schema.required)}</dd></div>`;
};

export const fieldList = (all: SchemaFields, required: readonly string[] = []): Html =>
  html`<dl class="fields">${Object.entries(all).map(([name, schema]) => fieldEntry(name, schema, required.includes(name)))}</dl>`;

/** A named schema with an anchor: its fields, or its type in words. */
export const schemaSection = ([name, schema]: readonly [string, JsonSchema]): Html =>
  html`<section class="card" id="schema-${name}" aria-labelledby="schema-${name}-name">
    <h3 id="schema-${name}-name">${name}</h3>
    ${schema.description !== undefined && html`<p>${prose(schema.description)}</p>`}
    ${schema.properties ? fieldList(schema.properties, schema.required) : html`<p class="quiet">${typeInWords(schema)}</p>`}
    </section>`;
