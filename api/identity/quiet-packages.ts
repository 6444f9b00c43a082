// Silences warnings of packages that an operator cannot act on. Import this file before those packages.

// oidc-provider warns that it supports Node only. Kept's tests and the official conformance suite pass on Bun.
const { warn } = console;
console.warn = (...said: unknown[]) => {
  if (!String(said[0]).includes("oidc-provider WARNING: Unsupported runtime")) warn.apply(console, said);
};

// The package that compares cookie signatures uses a deprecated name of `randomBytes`.
process.noDeprecation = true;

export {};
