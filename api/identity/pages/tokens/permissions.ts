import { allScopes, isScope, type Scope, scopes } from "../../../../shared/contracts/kernel/scopes.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { choice } from "../../../web/form/form-fields.ts";
import { scopeFields } from "../fields.ts";

const readScopes = allScopes.filter((scope) => scope.endsWith(":read"));

const presets = [
  { value: "read", scopes: readScopes, label: "Read everything", hint: "It changes nothing." },
  { value: "all", scopes: allScopes, label: "Everything", hint: "Read, create, change and delete." },
] as const;

/** The permissions in a form: a preset, else the ticked boxes. */
export type Permissions = Readonly<{ preset: string; scopes: readonly Scope[] }>;

export const readOnly: Permissions = { preset: "read", scopes: readScopes };

export function permissionsOf(form: URLSearchParams): Permissions {
  const preset = presets.find(({ value }) => value === form.get("preset"));
  return preset
    ? { preset: preset.value, scopes: preset.scopes }
    : { preset: "custom", scopes: form.getAll("scope").filter(isScope) };
}

/** The presets, and the boxes that count if the last preset is chosen. */
export function permissionFields(chosen: Permissions): Html {
  const radio = (value: string, label: string, hint: string) =>
    choice({
      name: "preset",
      value,
      label: html`${label}<span class="quiet small hint">${hint}</span>`,
      isChosen: value === chosen.preset,
    });
  const ticked = chosen.preset === "custom" ? chosen.scopes : [];
  return html`<fieldset class="permissions"><legend>It may</legend>
    ${presets.map(({ value, label, hint }) => radio(value, label, hint))}
    ${radio("custom", "Only what I choose", "Permission by permission.")}
    <div class="custom">${scopeFields(allScopes, ticked)}</div></fieldset>`;
}

/** The permissions of a connection in few words. */
export function allowedInWords(granted: readonly Scope[]): Html | string {
  if (granted.length === 0) return "Know who you are";
  const preset = presets.find((one) => one.scopes.length === granted.length && isWithin(granted, one.scopes));
  if (preset) return preset.label;
  return html`<ul class="plain">${granted.map((scope) => html`<li>${scopes[scope]}</li>`)}</ul>`;
}

const isWithin = (some: readonly Scope[], all: readonly Scope[]): boolean =>
  some.every((scope) => all.includes(scope));
