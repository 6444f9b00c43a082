/** The id in a form; empty if it cannot be a stored id, because PostgreSQL does not take every character. */
export const formId = (form: URLSearchParams, name = "id"): string =>
  /^[\w-]{1,1364}$/.exec(form.get(name) ?? "")?.[0] ?? "";
