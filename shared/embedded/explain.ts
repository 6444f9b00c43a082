const advices: Readonly<Record<string, string>> = {
  EACCES: "Give the folder to the user who starts Kept.",
  EEXIST: "There is a file in the place of a folder: move it away.",
  ENOENT: "Make the folder above it, or correct DATA_DIR and BACKUP_DIR.",
  ENOSPC: "Make room on that disk.",
  ENOTDIR: "There is a file in the place of a folder: move it away.",
  EPERM: "Give the folder to the user who starts Kept.",
  EROFS: "That disk is read-only: set DATA_DIR and BACKUP_DIR to folders that can be written.",
};

/** An error in one line for people, with advice where its own text has none. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const advice = "code" in error ? advices[String(error.code)] : undefined;
  return advice === undefined ? error.message : `${error.message}. ${advice}`;
}

/** The time since `start` (of performance.now()) for people: "1.24 s". */
export const elapsed = (start: number): string => `${((performance.now() - start) / 1000).toFixed(2)} s`;
