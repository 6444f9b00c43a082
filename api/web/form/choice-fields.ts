import { type Html, html } from "../../../shared/html.ts";

export type Option = Readonly<{ value: string; label: string }>;

/** The id defaults to the name; another form of the page may have a field of that name. */
type Described = Readonly<{
  name: string;
  id?: string;
  label: string;
  value: string;
  error?: string | undefined;
}>;

/** A labelled list of options, one of which is chosen. */
export function selectField({
  name,
  id = name,
  label,
  value,
  options,
  error,
  hint,
}: Described & Readonly<{ options: readonly Option[]; hint?: Html | undefined }>): Html {
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  return html`<div class="field"><label for="${id}">${label}</label>
    <select id="${id}" name="${name}" autocomplete="off" aria-describedby="${describedBy}"
      aria-invalid="${error ? "true" : "false"}">${options.map(
        (option) =>
          html`<option value="${option.value}"${option.value === value && html` selected`}>${option.label}</option>`,
      )}</select>
    ${hint && html`<p class="quiet small" id="${id}-hint">${hint}</p>`}
    ${error && html`<p class="error" id="${id}-error">${error}</p>`}</div>`;
}

/** A labelled text of several lines. */
export function areaField({ name, label, value, error, max }: Described & Readonly<{ max: number }>): Html {
  // Browsers drop a line break at the beginning of a text area, so one is added.
  return html`<div class="field"><label for="${name}">${label}</label>
    <textarea id="${name}" name="${name}" rows="4" maxlength="${max}" autocomplete="off"
      aria-describedby="${error && `${name}-error`}" aria-invalid="${error ? "true" : "false"}">
${value}</textarea>
    ${error && html`<p class="error" id="${name}-error">${error}</p>`}</div>`;
}

type Choice = Readonly<{
  name: string;
  value: string;
  label: Html | string;
  isChosen: boolean;
  type?: "radio" | "checkbox";
}>;

/** One radio button or box with its label. */
export const choice = ({ name, value, label, isChosen, type = "radio" }: Choice): Html =>
  html`<label class="choice"><input type="${type}" name="${name}" value="${value}"${isChosen && html` checked`}><span>${label}</span></label>`;
