/** The words that run a command of `npm run admin` here: an installed package has no scripts of npm. */
export const toRun = (command: string): string =>
  import.meta.dir.includes("/node_modules/") ? `npx kept ${command}` : `npm run admin -- ${command}`;
