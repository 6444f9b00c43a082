import manifest from "../../../package.json";

/** The version of the running software, from package.json. */
export const { version } = manifest;
