/** Statements of a table that is none: it is read or written by statements of its own. */
export const noStatements = {
  ...{ forUpdate: "", forUpdateSkipLocked: "", forKeyShare: "", forKeyShareSkipLocked: "" },
  ...{ allForUpdate: "", read: "", readAll: "", insert: "", upsert: "", update: "", remove: "" },
};
