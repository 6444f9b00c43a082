const trusted: unique symbol = Symbol("trusted HTML");

/** Markup that is safe to send, because only `html` makes it. */
export type Html = Readonly<{ [trusted]: string }>;

/** The values of a template. Lists are joined; null, undefined and false become nothing. */
type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

/** A template that escapes every value that is not itself a template's result, in text and in quoted attributes. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return { [trusted]: String.raw({ raw: strings }, ...values.map(toMarkup)) };
}

function toMarkup(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return "";
  if (typeof value === "string" || typeof value === "number") return Bun.escapeHTML(value);
  if (trusted in value) return value[trusted];
  return value.map(toMarkup).join("");
}

export function markup(template: Html): string {
  return template[trusted];
}
