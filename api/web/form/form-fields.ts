import { type Html, html } from "../../../shared/html.ts";

type Field = Readonly<{
  name: string;
  /** Defaults to the name; needed if another form of the page has a field of that name. */
  id?: string;
  label: string;
  type?: "text" | "email" | "password" | "url" | "number" | "date" | "time" | "datetime-local" | "color";
  value?: string;
  autocomplete?: string;
  hint?: string;
  error?: string | undefined;
  /** The most characters. */
  max?: number;
  required?: boolean;
  /** Focuses the field when the page opens. A field with an error has the focus anyway. */
  autofocus?: boolean;
  /** Suggested values; others can be typed as well. */
  suggestions?: readonly string[];
}>;

/** A labelled input, which screen readers announce with its hint and its error. */
export function field(input: Field): Html {
  const {
    name,
    id = name,
    label,
    type = "text",
    value = "",
    autocomplete = "off",
    hint,
    error,
    max = 254,
    required = true,
    autofocus = false,
    suggestions,
  } = input;
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  return html`<div class="field"><label for="${id}">${label}</label>
    <input id="${id}" name="${name}" type="${type}" dir="auto" value="${value}" autocomplete="${autocomplete}"
      maxlength="${max}"${type === "number" && html` step="any"`}${required && html` required`}${suggestions && html` list="${id}-list"`} aria-describedby="${describedBy}"
      aria-invalid="${error ? "true" : "false"}"${(error || autofocus) && html` autofocus`}>
    ${suggestions && html`<datalist id="${id}-list">${suggestions.map((one) => html`<option value="${one}">`)}</datalist>`}
    ${hint && html`<p class="quiet small" id="${id}-hint">${hint}</p>`}
    ${error && html`<p class="error" id="${id}-error">${error}</p>`}</div>`;
}

const zones = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];

/**
 * A choice of all time zones, and the current one if it has a name that is no longer listed.
 * @param isGuess true if nobody has chosen it, so that `zoneScript` replaces it with the browser's
 */
export function zoneField(chosen: string, isGuess = false): Html {
  const offered = zones.includes(chosen) ? zones : [chosen, ...zones];
  return html`<div class="field"><label for="time_zone">Time zone</label>
    <select id="time_zone" name="time_zone" autocomplete="off"${isGuess && html` data-zone`}>
    ${offered.map((zone) =>
      zone === chosen ? html`<option selected>${zone}</option>` : html`<option>${zone}</option>`,
    )}</select></div>`;
}

/** Sends the browser's zone, which `zoneScript` fills in; empty without scripts. */
export const browserZoneField = html`<input type="hidden" name="browser_zone" value="" data-zone>`;

/** A problem at the top of a form. The page opens there, so that it is seen and read out. */
export function problem(message: string | undefined): Html | undefined {
  return message ? html`<p class="note bad" role="alert" tabindex="-1" autofocus>${message}</p>` : undefined;
}

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
    <textarea id="${name}" name="${name}" rows="4" dir="auto" maxlength="${max}" autocomplete="off"
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
