/** The folder of a cluster for full segments of its log. It is there as soon as there is a backup that needs them. */
export const spoolFolder = "kept_archive";

/**
 * How PostgreSQL hands over a full segment: a copy in the spool, which gets its name when it is on the disk. It may run
 * as a user who can reach nothing outside of the cluster, so the spool is in there. Without a spool nobody wants it.
 */
export const archiveCommand = [
  `test ! -d ${spoolFolder}`,
  `{ cp "%p" "${spoolFolder}/%f.new" && sync "${spoolFolder}/%f.new" && mv "${spoolFolder}/%f.new" "${spoolFolder}/%f"; }`,
].join(" || ");
