import { labs } from "./labs.ts";

/** `npm run lab [-- NAME [options]]`: becomes the lab of that name, or lists all. */
const [name = "", ...options] = process.argv.slice(2);
const lab = labs[name];
if (lab) process.execve?.("/bin/sh", ["sh", "-c", `${lab.runs} "$@"`, name, ...options], process.env);
console.log("npm run lab -- NAME [options]\n");
for (const [known, { says }] of Object.entries(labs)) console.log(`  ${known.padEnd(16)}${says}`);
process.exitCode = name === "" ? 0 : 1;
