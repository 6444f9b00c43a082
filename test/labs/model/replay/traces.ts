/** A run of protocol.pml: its events, each with the number of its request, worker or job. */
export type Trace = Readonly<{
  /** The name of its test. */
  says: string;
  /** `KEY`: one key from two doors. `ORDER`: two changes of a person at one door. */
  scenario: "KEY" | "ORDER";
  events: readonly string[];
}>;

/** A line with the name of each trace, then one with its events. */
const keyTraces = `
a key comes again through another door: it has one effect, and both callers hear of it
SENT 0, ADDED 0, TAKEN 0, BEGUN 0, COMMITTED 0, APPLIED 0, REPLIED 0, DONE 0, SENT 1, ADDED 1, TAKEN 0, BEGUN 0, COMMITTED 0, REPLIED 0, DONE 1
a key that another worker has locked waits, and is found when that one has committed
SENT 0, ADDED 0, TAKEN 0, BEGUN 0, SENT 1, ADDED 1, TAKEN 1, BEGUN 1, COMMITTED 1, REPLIED 1, COMMITTED 0, APPLIED 0, REPLIED 0, DONE 0, BEGUN 1, COMMITTED 1, REPLIED 1, DONE 1
a worker dies before its commit: nothing is applied until the key comes again
SENT 0, ADDED 0, TAKEN 0, BEGUN 0, KILLED_IN_COMMIT 0, ORPHAN_ROLLED_BACK 0, OLDER 0, OLDER 0, UNKNOWN 0, COMES_AGAIN 0, TAKEN 0, BEGUN 0, COMMITTED 0, REPLIED 0, SENT 1, ADDED 1, TAKEN 0, BEGUN 0, COMMITTED 0, APPLIED 1, REPLIED 0, DONE 1
a worker dies after its commit: the door finds the reply, and neither the job nor the key applies it again
SENT 0, ADDED 0, TAKEN 0, BEGUN 0, COMMITTED 0, APPLIED 0, KILLED 0, OLDER 0, OLDER 0, DONE 0, COMES_AGAIN 0, TAKEN 0, BEGUN 0, COMMITTED 0, REPLIED 0, SENT 1, ADDED 1, TAKEN 0, BEGUN 0, COMMITTED 0, REPLIED 0, DONE 1
a worker dies while its commit is under way: the key is locked, and found when the commit has ended
SENT 0, ADDED 0, TAKEN 0, BEGUN 0, KILLED_IN_COMMIT 0, SENT 1, ADDED 1, TAKEN 0, BEGUN 0, COMMITTED 0, REPLIED 0, ORPHAN_COMMITTED 0, APPLIED 0, BEGUN 0, COMMITTED 0, REPLIED 0, DONE 1, OLDER 0, OLDER 0, DONE 0, COMES_AGAIN 0, TAKEN 0, BEGUN 0, COMMITTED 0, REPLIED 0`;

const orderTraces = `
Redis forgets a job that a worker has: it is answered, and so is the next change
SENT 0, ADDED 0, TAKEN 0, FLUSHED 0, BEGUN 0, COMMITTED 0, APPLIED 0, REPLIED 0, DONE 0, SENT 1, ADDED 1, TAKEN 0, BEGUN 0, COMMITTED 0, APPLIED 1, REPLIED 0, DONE 1
Redis forgets a job that a worker has, which then dies: the change is not applied
SENT 0, ADDED 0, TAKEN 0, FLUSHED 0, BEGUN 0, KILLED_IN_COMMIT 0, ORPHAN_ROLLED_BACK 0, OLDER 0, OLDER 0, UNKNOWN 0
a change that a worker begins late is refused, and never applied
SENT 0, ADDED 0, TAKEN 0, OLDER 0, BEGUN 0, COMMITTED 0, REPLIED 0, NO 0
a reply of no that comes after the caller's time does not count
SENT 0, ADDED 0, TAKEN 0, OLDER 0, BEGUN 0, COMMITTED 0, OLDER 0, REPLIED 0, UNKNOWN 0
a reply is lost: the door finds the change
SENT 0, ADDED 0, TAKEN 0, BEGUN 0, COMMITTED 0, APPLIED 0, REPLY_LOST 0, OLDER 0, OLDER 0, DONE 0
a commit in doubt that has ended is found by the next attempt
SENT 0, ADDED 0, TAKEN 0, BEGUN 0, CUT_IN_COMMIT 0, ORPHAN_COMMITTED 0, APPLIED 0, BEGUN 0, COMMITTED 0, REPLIED 0, DONE 0
a commit in doubt that is under way, whose change is late at the next attempt, is told as unknown
SENT 0, ADDED 0, TAKEN 0, BEGUN 0, CUT_IN_COMMIT 0, OLDER 0, BEGUN 0, COMMITTED 0, REPLIED 0, UNKNOWN 0, ORPHAN_COMMITTED 0, APPLIED 0
a change of a row that somebody holds is tried again, and comes before the person's next change
ROW_HELD 0, SENT 0, ADDED 0, TAKEN 0, BEGUN 0, COMMITTED 0, REPLIED 0, ROW_LET_GO 0, SENT 1, BEGUN 0, COMMITTED 0, APPLIED 0, REPLIED 0, DONE 0, ADDED 1, TAKEN 0, BEGUN 0, COMMITTED 0, APPLIED 1, REPLIED 0, DONE 1`;

const parse = (scenario: Trace["scenario"], text: string): Trace[] =>
  [...text.matchAll(/^(.+)\n(.+)$/gm)].map(([, says = "", events = ""]) => {
    return { scenario, says, events: events.split(", ") };
  });

export const traces: readonly Trace[] = [...parse("KEY", keyTraces), ...parse("ORDER", orderTraces)];
