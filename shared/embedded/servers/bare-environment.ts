const harmless =
  /^(PATH|LANG|LC_\w+|LD_\w+|DYLD_\w+|FAKETIME_\w+|TZ|HOME|USER|LOGNAME|TMPDIR|APT_CONFIG|\w+_proxy)$/i;

/**
 * The part of our environment that a foreign program needs. It may run as another user, who can read its whole
 * environment, and ours has the passwords and secrets of the service.
 */
export function bareEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => harmless.test(name)));
}
