/** The id in a form; empty when nothing of ours has such an id, since PostgreSQL does not take every character. */
export const formId = (form: URLSearchParams, name = "id"): string =>
  /^[\w-]{1,1364}$/.exec(form.get(name) ?? "")?.[0] ?? "";
