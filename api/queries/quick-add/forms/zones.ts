/**
 * Zone names that people write after a time. Summer and winter names mean the same zone, because people mix them
 * up.
 */
export const zones: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ utc: "UTC", gmt: "UTC", bst: "Europe/London", cet: "Europe/Berlin", cest: "Europe/Berlin" },
    ...{ est: "America/New_York", edt: "America/New_York", cst: "America/Chicago", cdt: "America/Chicago" },
    ...{ mst: "America/Denver", mdt: "America/Denver" },
    ...{ pst: "America/Los_Angeles", pdt: "America/Los_Angeles" },
  }),
);
