const harmless =
  /^(PATH|LANG|LC_\w+|LD_\w+|DYLD_\w+|FAKETIME_\w+|TZ|HOME|USER|LOGNAME|TMPDIR|APT_CONFIG|\w+_proxy)$/i;

/**
 * The environment for a foreign program. It may run as another user, and must not read the service's passwords and
 * secrets.
 */
export function bareEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => harmless.test(name)));
}
