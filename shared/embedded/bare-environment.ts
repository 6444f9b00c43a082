const harmless = /^(PATH|LANG|LC_\w+|LD_\w+|DYLD_\w+|TZ|HOME|USER|LOGNAME|TMPDIR|APT_CONFIG|\w+_proxy)$/i;

/**
 * What a program that is not ours needs of our environment. It may run as another user, who can read its whole
 * environment, and ours has the passwords and secrets of the service.
 */
export function bareEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => harmless.test(name)));
}
