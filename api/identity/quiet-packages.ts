// What packages say at a start or a sign-in that whoever runs this cannot act on. It must be imported before they are.

// oidc-provider says as soon as it is loaded that it knows Node only. On Bun our tests of it pass, and so does the official
// conformance suite.
const { warn } = console;
console.warn = (...said: unknown[]) => {
  if (!String(said[0]).includes("oidc-provider WARNING: Unsupported runtime")) warn.apply(console, said);
};

// The package that compares signatures of cookies asks for random bytes by a deprecated name of that function.
process.noDeprecation = true;

export {};
