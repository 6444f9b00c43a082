import manifest from "../../package.json";

/** Of the running software, as package.json has it. */
export const { version } = manifest;
