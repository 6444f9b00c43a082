import { type Scope, scopes } from "../../../shared/contracts/kernel/scopes.ts";
import { type Html, html } from "../../../shared/html.ts";
import type { Config } from "../../../shared/process/config.ts";
import { choice } from "../../web/form/form-fields.ts";
import { locale } from "../../web/locale.ts";
import { isCommon, isMadeOfNames, passwordLength } from "../accounts/passwords.ts";

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

/** The problem of a form, and the rest of the answer: 422, unless it has another status. */
export type FormAnswer = Readonly<{ error?: string; status?: number; headers?: Record<string, string> }>;

/** The problem of a form that a limit refuses. */
export const tooOften = (problem: string, waitSeconds: number) => ({
  error: `${problem} Try again in ${Math.ceil(waitSeconds / 60)} minutes.`,
  status: 429,
  headers: { "Retry-After": String(waitSeconds) },
});

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
    label:
      "Somebody else may know it or have my device: end all my passkeys, tokens, apps, webhooks, my calendar’s address and ways of reminders too",
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

export function scopeFields(offered: readonly Scope[], ticked: readonly Scope[]): Html[] {
  return offered.map((scope) => {
    const label = html`${scopes[scope]} <code class="quiet">${scope}</code>`;
    return choice({ name: "scope", value: scope, label, isChosen: ticked.includes(scope), type: "checkbox" });
  });
}

/** The id in a form; empty if it cannot be a stored id, because PostgreSQL does not take every character. */
export const formId = (form: URLSearchParams, name = "id"): string =>
  /^[\w-]{1,1364}$/.exec(form.get(name) ?? "")?.[0] ?? "";

export const maxName = 100;

export const nameIn = (form: URLSearchParams): string => (form.get("name") ?? "").trim().normalize("NFC");

/** @returns the problem of the name of a token, app or passkey; undefined when there is none */
export function nameProblem(name: string): string | undefined {
  const isRight = name !== "" && name.length <= maxName && !/\p{Cc}/u.test(name);
  return isRight ? undefined : `Give it a name of 1 to ${maxName} characters.`;
}

export function timeIn(timeZone: string, epochMs: number): Html {
  const at = new Date(epochMs);
  return html`<time datetime="${at.toISOString()}">${formatIn(timeZone, locale()).format(at)}</time>`;
}

const newFormat = (timeZone: string, language: string) =>
  new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", timeZone });

let last = { timeZone: "UTC", language: "en-GB", format: newFormat("UTC", "en-GB") };

/** The last format is kept: making one takes fifty times as long as using it, and a page uses dozens. */
function formatIn(timeZone: string, language: string): Intl.DateTimeFormat {
  if (last.timeZone !== timeZone || last.language !== language)
    last = { timeZone, language, format: newFormat(timeZone, language) };
  return last.format;
}
