// Silences warnings of packages that an operator cannot act on. Import this file before those packages.

// oidc-provider warns that it supports Node only. Kept's tests and the official conformance suite pass on Bun. Node's
// fetch is not there to be protected either: `openDocuments` has a guard of its own. `refreshWhole` parses on purpose.
const { warn } = console;
const known = /oidc-provider WARNING: (Unsupported runtime|failed to setup SSRF protection|already parsed)/;
console.warn = (...said: unknown[]) => {
  if (!known.test(String(said[0]))) warn.apply(console, said);
};

// The package that compares cookie signatures uses a deprecated name of `randomBytes`.
process.noDeprecation = true;

export {};
