import { type Scope, scopes } from "../../../shared/contracts/kernel/scopes.ts";
import { type Html, html } from "../../../shared/html.ts";
import type { Config } from "../../../shared/process/config.ts";
import { choice } from "../../web/form/form-fields.ts";
import { isCommon, isMadeOfNames } from "../accounts/passwords/guessable.ts";
import { passwordLength } from "../accounts/passwords/passwords.ts";

export const emailAddress = {
  name: "email",
  label: "E-mail address",
  type: "email",
  autocomplete: "username",
} as const;

export const newPassword = {
  label: "Password",
  type: "password",
  autocomplete: "new-password",
  hint: `At least ${passwordLength.min} characters. A few words in a row are easy to keep in mind.`,
  max: passwordLength.max,
} as const;

export const currentPassword = {
  label: "Current password",
  type: "password",
  autocomplete: "current-password",
} as const;

/** The choice beside a new password: end everything else that gives access, or keep it. */
export const endConnectionsField = html`<fieldset><legend>Why a new password?</legend>
  ${choice({
    name: "connections",
    value: "keep",
    label: "I forgot the old one, or want another: my passkeys, tokens and connected apps go on",
    isChosen: true,
  })}
  ${choice({
    name: "connections",
    value: "end",
    label: "Somebody else may know it or have my device: end all my passkeys, tokens and connected apps too",
    isChosen: false,
  })}</fieldset>`;

/**
 * @param email of the account
 * @returns the problem of a new password; undefined when there is none
 */
export async function passwordProblem(
  password: string,
  email: string,
  config: Pick<Config, "baseUrl">,
): Promise<string | undefined> {
  const problem = lengthProblem(password);
  if (problem) return problem;
  if (isMadeOfNames(password, email, config))
    return `Your address and the name of this server are guessed first. ${fewWords}`;
  if (await isCommon(password, email))
    return `Many people use this password, so it is guessed first. ${fewWords}`;
  return undefined;
}

export function lengthProblem(password: string): string | undefined {
  if (password.length < passwordLength.min) return `Use at least ${passwordLength.min} characters.`;
  if (password.length > passwordLength.max) return `Use at most ${passwordLength.max} characters.`;
  return undefined;
}

const fewWords = "Take a few words in a row that nobody connects with you.";

/** The scopes as checkboxes in plain words. */
export function scopeFields(offered: readonly Scope[], ticked: readonly Scope[]): Html[] {
  return offered.map((scope) => {
    const label = html`${scopes[scope]} <code class="quiet">${scope}</code>`;
    return choice({ name: "scope", value: scope, label, isChosen: ticked.includes(scope), type: "checkbox" });
  });
}

/** The id in a form; empty if it cannot be a stored id, because PostgreSQL does not take every character. */
export const formId = (form: URLSearchParams, name = "id"): string =>
  /^[\w-]{1,1364}$/.exec(form.get(name) ?? "")?.[0] ?? "";
