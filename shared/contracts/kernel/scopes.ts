/** The scopes of the service, each in the plain words that the consent screen and the token page show. */
export const scopes = {
  "habits:read": "List and view habits",
  "habits:write": "Create, change, delete and complete habits, and see those it changes",
  "todos:read": "List and view todos",
  "todos:write": "Create, change, delete and tick off todos, set their reminders, and see those it changes",
  "categories:read": "List and view categories",
  "categories:write": "Create, change and delete categories, and see those it changes",
  "webhooks:write": "Send changes to addresses of its choice, as far as it may read them",
} as const;

export type Scope = keyof typeof scopes;

/** Every scope, in the order people read them. */
export const allScopes: readonly Scope[] = Object.keys(scopes).filter(isScope);

/** The scopes that tools use and that an app gets offered by default. One that sends changes elsewhere must name that. */
export const usualScopes = allScopes.filter((scope) => scope !== "webhooks:write");

export function isScope(word: string): word is Scope {
  return Object.hasOwn(scopes, word);
}
