export const maxName = 100;

/** The name in a form, as it is stored. */
export const nameIn = (form: URLSearchParams): string => (form.get("name") ?? "").trim().normalize("NFC");

/** @returns what is wrong with the name of a token, an app or a passkey; undefined when nothing is */
export function nameProblem(name: string): string | undefined {
  const isRight = name !== "" && name.length <= maxName && !/\p{Cc}/u.test(name);
  return isRight ? undefined : `Give it a name of 1 to ${maxName} characters.`;
}
