export const maxName = 100;

/** The name in a form, in the form that is stored. */
export const nameIn = (form: URLSearchParams): string => (form.get("name") ?? "").trim().normalize("NFC");

/** @returns the problem of the name of a token, app or passkey; undefined when there is none */
export function nameProblem(name: string): string | undefined {
  const isRight = name !== "" && name.length <= maxName && !/\p{Cc}/u.test(name);
  return isRight ? undefined : `Give it a name of 1 to ${maxName} characters.`;
}
