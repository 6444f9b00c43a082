/** The id in a form; empty when it cannot be one of ours, because PostgreSQL does not take every character. */
export const formId = (form: URLSearchParams, name = "id"): string =>
  /^[\w-]{1,1364}$/.exec(form.get(name) ?? "")?.[0] ?? "";
