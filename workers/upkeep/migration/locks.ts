/** PostgreSQL's table locks that matter to others, from weak to strong. */
const modes = [
  "row exclusive",
  "share update exclusive",
  "share",
  "share row exclusive",
  "access exclusive",
] as const;

export type Mode = (typeof modes)[number];

const strengthOf = (mode: Mode): number => modes.indexOf(mode);

/** The first group is a table, or an index whose table is looked up. */
const rules: readonly (readonly [RegExp, Mode])[] = [
  [/\balter table (?:if exists )?([\w.]+) (?:set \(|validate )/g, "share update exclusive"],
  [/\balter table (?:if exists )?([\w.]+) (?!set \(|validate )/g, "access exclusive"],
  [/\bdrop table (?:if exists )?([\w.]+)/g, "access exclusive"],
  [/\bdrop index (?!concurrently)(?:if exists )?([\w.]+)/g, "access exclusive"],
  [/\bdrop index concurrently (?:if exists )?([\w.]+)/g, "share update exclusive"],
  [/\bcreate index concurrently (?:if not exists )?\w+ on ([\w.]+)/g, "share update exclusive"],
  [/\bcreate index (?!concurrently)(?:if not exists )?\w+ on ([\w.]+)/g, "share"],
  [/\bcreate policy \w+ on ([\w.]+)/g, "access exclusive"],
  [/\btrigger \w+ before [\w ]+ on ([\w.]+)/g, "share row exclusive"],
  [/\breferences ([\w.]+)/g, "share row exclusive"],
  [/\bmake_partitions\('(\w+)'/g, "share update exclusive"],
  [/(?<!do |for |before |or )\bupdate (?!set\b|on\b)([\w.]+)/g, "row exclusive"],
  [/\b(?:insert into|delete from) ([\w.]+)/g, "row exclusive"],
];

const lockTables = /\block table ([\w., ]+) in access exclusive mode/g;

/** The strongest lock on each table, by name. */
export type Locks = ReadonlyMap<string, Mode>;

/**
 * The locks that statements take on tables.
 * @param tableOf the table of an index
 */
export function locksOf(
  statements: readonly string[],
  tableOf: (index: string) => string | undefined = () => undefined,
): Locks {
  const locks = new Map<string, Mode>();
  const add = (name: string, mode: Mode) => {
    const table = tableOf(name) ?? name;
    const earlier = locks.get(table);
    if (!earlier || strengthOf(mode) > strengthOf(earlier)) locks.set(table, mode);
  };
  for (const statement of statements.map(inOneLine).filter((text) => !definesFunction.test(text))) {
    for (const [pattern, mode] of rules)
      for (const [, name = ""] of statement.matchAll(pattern)) add(name, mode);
    for (const [, names = ""] of statement.matchAll(lockTables))
      for (const name of names.split(", ")) add(name, "access exclusive");
  }
  return new Map([...locks].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** A function's body runs later. */
const definesFunction = /^create (or replace )?function\b/;

export const inOneLine = (statement: string): string => statement.replace(/\s+/g, " ").trim();

/** The tables of the indexes that statements build. */
export function indexedTables(statements: readonly string[]): (index: string) => string | undefined {
  const tables = new Map<string, string>();
  const built = /\bcreate index (?:concurrently )?(?:if not exists )?(\w+) on ([\w.]+)/g;
  for (const [, index = "", table = ""] of statements.flatMap((text) => [...inOneLine(text).matchAll(built)]))
    for (const name of [index, index.replace(/_next$/, ""), index.replace(/_next$/, "_before")])
      tables.set(name, table);
  return (index) => tables.get(index);
}

/** True if a lock of that mode keeps rows from being written. */
export const stopsWrites = (mode: Mode): boolean => strengthOf(mode) >= strengthOf("share");

const long = [
  /\bcreate index (?!concurrently)/,
  /\badd primary key\b/,
  /\bset (unlogged|not null)\b/,
  /\b(?:insert into [\w.]+ .*\bselect\b|delete from)/,
  /^update\b/,
];

/** True if a statement takes the longer the more rows there are; steps, with a commit of their own, do not count. */
export function isLong(statement: string): boolean {
  const text = inOneLine(statement);
  return !definesFunction.test(text) && !/\bcommit;/.test(text) && long.some((pattern) => pattern.test(text));
}
