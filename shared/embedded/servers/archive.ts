/** The cluster's folder for full segments of its log. It exists only while a backup needs them. */
export const spoolFolder = "kept_archive";

/**
 * PostgreSQL's archive command: copies a full segment to the spool and renames it once it is on disk. Its user may
 * reach nothing outside of the cluster, so the spool is inside. Without a spool the segment is not needed.
 */
export const archiveCommand = [
  `test ! -d ${spoolFolder}`,
  `{ cp "%p" "${spoolFolder}/%f.new" && sync "${spoolFolder}/%f.new" && mv "${spoolFolder}/%f.new" "${spoolFolder}/%f"; }`,
].join(" || ");
