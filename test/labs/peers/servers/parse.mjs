import { createServer } from "node:http";
import express from "express";
import { ParseServer } from "parse-server";

const signedIn = { requiresAuthentication: true };
const classLevelPermissions = {
  find: signedIn,
  get: signedIn,
  count: signedIn,
  create: signedIn,
  update: signedIn,
};

/** Parse Server with its adapter of PostgreSQL and declared classes, without cloud code. */
const listening = Promise.withResolvers();
const app = express();
const server = createServer(app).listen(0, "127.0.0.1", listening.resolve);
await listening.promise;
const { port } = server.address();
const parse = new ParseServer({
  databaseURI: `${process.env.DATABASE_URL}?poolSize=20`,
  appId: "peers",
  masterKey: crypto.randomUUID(),
  serverURL: `http://127.0.0.1:${port}/parse`,
  allowClientClassCreation: false,
  silent: true,
  logLevel: "error",
  schema: {
    definitions: [
      {
        className: "Category",
        fields: { name: { type: "String" }, color: { type: "String" } },
        classLevelPermissions,
      },
      {
        className: "Todo",
        fields: {
          owner: { type: "Pointer", targetClass: "_User" },
          title: { type: "String" },
          description: { type: "String" },
          due_date: { type: "String" },
          part_of_day: { type: "Number" },
          estimated_minutes: { type: "Number" },
          context: { type: "String" },
          category: { type: "Pointer", targetClass: "Category" },
          is_completed: { type: "Boolean" },
        },
        classLevelPermissions,
      },
    ],
  },
});
await parse.start();
app.use("/parse", parse.app);
process.send?.(port);
process.on("disconnect", () => process.exit());
