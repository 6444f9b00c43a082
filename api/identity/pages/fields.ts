import { type Scope, scopes } from "../../../shared/scopes.ts";
import { type Html, html } from "../../html.ts";
import { passwordLength } from "../accounts.ts";

type Field = Readonly<{
  name: string;
  /** The name, unless another form of the page has a field of that name. */
  id?: string;
  label: string;
  type?: "text" | "email" | "password";
  value?: string;
  autocomplete?: string;
  hint?: string;
  error?: string | undefined;
  max?: number;
}>;

/** A labelled input; its hint and its error are read out with it. */
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
  } = input;
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  return html`<div class="field"><label for="${id}">${label}</label>
    <input id="${id}" name="${name}" type="${type}" value="${value}" autocomplete="${autocomplete}"
      maxlength="${max}" required aria-describedby="${describedBy}" aria-invalid="${error ? "true" : "false"}">
    ${hint && html`<p class="quiet small" id="${id}-hint">${hint}</p>`}
    ${error && html`<p class="error" id="${id}-error">${error}</p>`}</div>`;
}

export const newPassword = {
  label: "Password",
  type: "password",
  autocomplete: "new-password",
  hint: `At least ${passwordLength.min} characters. A few words in a row are easy to keep in mind.`,
  max: passwordLength.max,
} as const;

/** What is wrong with a new password; undefined when nothing is. */
export function passwordProblem(password: string): string | undefined {
  if (password.length < passwordLength.min) return `Use at least ${passwordLength.min} characters.`;
  if (password.length > passwordLength.max) return `Use at most ${passwordLength.max} characters.`;
  return undefined;
}

const zones = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];

export function isTimeZone(zone: string | null): zone is string {
  return zone !== null && zones.includes(zone);
}

/** A choice of all time zones. */
export function zoneField(chosen: string): Html {
  return html`<div class="field"><label for="time_zone">Time zone</label>
    <select id="time_zone" name="time_zone" autocomplete="off">
    ${zones.map((zone) =>
      zone === chosen ? html`<option selected>${zone}</option>` : html`<option>${zone}</option>`,
    )}</select></div>`;
}

/** The scopes as checkboxes in plain words. */
export function scopeFields(offered: readonly Scope[], ticked: readonly Scope[]): Html[] {
  return offered.map((scope) => {
    const checked = ticked.includes(scope) && html` checked`;
    return html`<label class="choice"><input type="checkbox" name="scope" value="${scope}"${checked}>
      <span>${scopes[scope]} <code class="quiet">${scope}</code></span></label>`;
  });
}

/** A list of problems at the top of a form, announced when the page opens. */
export function problem(message: string | undefined): Html | undefined {
  return message ? html`<p class="note bad" role="alert">${message}</p>` : undefined;
}
