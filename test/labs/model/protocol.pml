/*
 * The way of a change from its caller into PostgreSQL and back, with the names of the code; docs/protocol.md explains it.
 * Two requests, two workers, at most FAULTS faults, each event at any moment. A control such as -DNO_INBOX takes one guard
 * away.
 */
#ifndef FAULTS
#define FAULTS 2
#endif
#define R 2
#if defined(KEY)     /* one key from two doors, for a new thing */
#define DOOR(r) (r)
#define ID(r) 0
#define KEYED(r) true
#define MAKES(r) true
#define ROW(r) 0
#elif defined(ORDER) /* a person's change of a row and new thing, at one door */
#define DOOR(r) 0
#define ID(r) (r)
#define KEYED(r) false
#define MAKES(r) (r == 1)
#define ROW(r) (r)
#else                /* SAME: changes of one row from two doors */
#define DOOR(r) (r)
#define ID(r) (r)
#define KEYED(r) false
#define MAKES(r) false
#define ROW(r) 0
#endif

#define W 2
#define ORPHAN (W + 1)
#define HOLDER (W + 2)
#define BIT(r) (1 << (r))
#define BOTH 3
#define has(set, r) (((set) >> (r)) & 1)
#define each(set) i : 0 .. R - 1) { if :: !has(set, i) :: else ->
#define next fi }; skip /* no loop may end a d_step */
#ifndef event /* the test of traces listens */
#define event(name, n) printf("%e %d\n", name, n)
#endif
#define fault(name, n) faults > 0 -> faults--; event(name, n)

/* The properties; the number in a message of the checker names the broken one. */
#define at_most_once(holds)             assert(holds || (1 == 0))
#define no_means_never(holds)           assert(holds || (2 == 0))
#define answered_means_committed(holds) assert(holds || (3 == 0))
#define order_is_kept(holds)            assert(holds || (4 == 0))
#define one_row_in_log(holds)           assert(holds || (5 == 0))
#define never_begun_late(holds)         assert(holds || (6 == 0))
#define on_the_latest_row(holds)        assert(holds || (7 == 0))

mtype = { NEW, WAITING, OUT, UNANSWERED, ENDED }; /* a request at its door */
mtype = { NONE, DONE, NO, UNKNOWN, DEAD };        /* its answer; DEAD: the door was killed */
mtype = { ABSENT, QUEUED, ACTIVE };               /* a job in Redis, named by its first request */
/* Events of a request, of a worker, and of the rest; the answer of a request is an event as well. */
mtype = { SENT, ADDED, ADD_LOST, ADD_UNHEARD, ADDED_TWICE, AWAY, SLOW_LOOK_UP, DOOR_KILLED, APPLIED, OLDER };
mtype = { TAKEN, BEGUN, CUT, REFUSED, COMMITTED, CUT_IN_COMMIT, KILLED_IN_COMMIT, REPLIED, REPLY_LOST, KILLED, TURNED_AWAY };
mtype = { COMES_AGAIN, FAILED_OVER, STALLED, FLUSHED, CRASHED, ORPHAN_COMMITTED, ORPHAN_ROLLED_BACK, ROW_HELD, ROW_LET_GO };
#define FRESH 0 /* a worker may run it */
#define LATE 1  /* 1.2 s after sending: a worker only looks it up */
#define OVER 2  /* 1.5 s after sending: its caller has given up */

byte faults = FAULTS;
mtype where[R] = NEW;
mtype answer[R] = NONE;
byte age[R];
mtype job[R] = ABSENT;
byte jobWork[R];                      /* its requests */
byte jobOwner[R];                     /* its worker, from 1; 0 when that died */
bool jobStarted[R];
byte hand[W];                         /* requests in a worker's transaction or retry queue */
bool broken[W];                       /* a crash has ended the worker's connection */
byte keyLock[R], rowLock[R], inserting[R]; /* PostgreSQL's locks, with their owners */
bool inbox[R];                        /* what is committed, by command and by row */
byte effects[R], actionLog[R], version[R];
byte orphan, orphanOverdue;           /* requests of a COMMIT under way without a connection */
byte forgotten;                       /* sent before a crash, which lost keyless replies (repliesSince) */
bool wasHeld;
byte applied, overtaken;              /* for the properties */
hidden byte i;
hidden byte k;

#ifdef NO_INBOX
#define proof(r) false
#else
#define proof(r) inbox[ID(r)]
#endif
#define isFree(lock, owner) (lock == 0 || lock == owner)

/* Requests that nobody will see again are all of one age, which saves states. */
#define isAbout(r) has(jobWork[0] | jobWork[1] | hand[0] | hand[1] | orphan, r)
inline sweep() { for (k : 0 .. R - 1) { if :: where[k] == ENDED && !isAbout(k) -> age[k] = OVER :: else fi }; skip }

inline tell(r, outcome) {
  where[r] = ENDED;
  answer[r] = outcome;
  event(outcome, r);
  answered_means_committed(outcome != DONE || effects[ID(r)] > 0);
  one_row_in_log(outcome != DONE || actionLog[ID(r)] == 1);
#ifdef STRICT_ORDER
  order_is_kept(outcome != DONE || !has(overtaken, r));
#endif
  no_means_never(outcome != NO || !has(applied, r))
}

/* A reply counts for a caller who has waited less than 1.5 s and has no answer (waiters.ts). */
#ifdef LATE_REPLY_COUNTS
#define hears(r) (where[r] == OUT)
#else
#define hears(r) (where[r] == OUT && age[r] != OVER)
#endif
inline reply(r, outcome) {
  if
  :: hears(r) -> order_is_kept(outcome != DONE || !has(overtaken, r)); tell(r, outcome)
  :: else
  fi
}

/* Commits the changes, log rows and replies of these requests together. */
inline apply(set, begunOver) {
  for (each(set)
    event(APPLIED, i);
    effects[ID(i)]++;
    version[ROW(i)]++;
    applied = applied | BIT(i);
    at_most_once(effects[ID(i)] == 1);
    never_begun_late(!has(begunOver, i));
    no_means_never(answer[i] != NO);
    inbox[ID(i)] = true;
#ifndef LOG_LATER
    actionLog[ID(i)]++;
#endif
    if
    :: i == 0 && DOOR(1) == DOOR(0) && applied == BOTH && !has(set, 1) ->
       overtaken = 1;
       order_is_kept(answer[0] != DONE && answer[0] != NO)
    :: else
    fi
  next
}

/* A transaction ends, or its COMMIT goes on without its connection; then its locks stay. */
inline passLocks(owner, heir) {
  for (k : 0 .. R - 1) {
    if :: keyLock[k] == owner -> keyLock[k] = heir :: else fi;
    if :: rowLock[k] == owner -> rowLock[k] = heir :: else fi;
    if :: inserting[k] == owner -> inserting[k] = heir :: else fi
  };
  skip
}
inline endOrphan() { passLocks(ORPHAN, 0); orphan = 0; orphanOverdue = 0; sweep() }

/* ---------- api/mailbox ---------- */

/* A line stands still until everything that left it is answered or given up (pending.ts). */
#ifdef NO_LINE
#define mayLeave(r) (where[r] == WAITING)
#else
#define mayLeave(r) (where[r] == WAITING && (DOOR(0) != DOOR(1) || (where[1 - r] != OUT && (r == 0 || where[0] != WAITING))))
#endif
#define bothMayLeave (DOOR(0) == DOOR(1) && mayLeave(0) && where[1] == WAITING)

inline addJob(r, set) { job[r] = QUEUED; jobWork[r] = set; jobStarted[r] = false }
inline dropJob(j) { job[j] = ABSENT; jobWork[j] = 0; jobOwner[j] = 0; jobStarted[j] = false }

/* The caller has waited as long as it may. The door takes a job back that no worker has. */
inline giveUp(r) {
  if
  :: where[r] == WAITING -> tell(r, NO)
#ifndef NO_PATIENCE
  :: where[r] == OUT -> where[r] = UNANSWERED
#endif
  :: else
  fi;
  if :: job[r] == QUEUED -> dropJob(r) :: else fi
}

/* One call: dispatch, the mailbox and the sender of batches, until it is answered. */
proctype request(byte r) {
  d_step { (r == 0 || where[0] != NEW); where[r] = WAITING; event(SENT, r) }
  do
  :: where[r] == ENDED -> break
  :: d_step { mayLeave(r) -> where[r] = OUT; addJob(r, BIT(r)); event(ADDED, r) }
  :: d_step { mayLeave(r) && fault(ADD_LOST, r); where[r] = UNANSWERED }
  :: d_step { mayLeave(r) && fault(ADD_UNHEARD, r);
       addJob(r, BIT(r));
#ifdef LOST_IS_NO
       tell(r, NO)
#else
       where[r] = UNANSWERED
#endif
     }
#ifdef SENT_AGAIN /* the client of Redis sends it again, which is refused, so it counts as never sent */
  :: d_step { mayLeave(r) && fault(ADDED_TWICE, r); addJob(r, BIT(r)); tell(r, NO) }
#endif
#ifdef LATE_REPLY_COUNTS /* the door is frozen, and its timers are late */
  :: d_step { where[r] == OUT && age[r] == OVER -> giveUp(r) }
#endif
  :: d_step { where[r] == UNANSWERED ->
       if
       :: proof(r) -> tell(r, DONE)
#ifdef UNSEEN_IS_NO
       :: else -> tell(r, NO)
#else
       :: else -> tell(r, UNKNOWN)
#endif
       fi; sweep() }
  :: d_step { r == 0 && bothMayLeave -> where[0] = OUT; where[1] = OUT; addJob(0, BOTH); event(ADDED, 0); event(ADDED, 1) }
#ifdef AWAY_IS_NO
  :: d_step { where[r] == OUT && fault(AWAY, r); tell(r, NO) }
#endif
  :: d_step { where[r] == WAITING && fault(AWAY, r); tell(r, NO) }
  :: d_step { where[r] == UNANSWERED && fault(SLOW_LOOK_UP, r); tell(r, UNKNOWN); sweep() }
  :: d_step { where[r] != ENDED && fault(DOOR_KILLED, r);
       tell(r, DEAD);
       if :: DOOR(0) == DOOR(1) && where[1 - r] != NEW && where[1 - r] != ENDED -> k = 1 - r; tell(k, DEAD) :: else fi;
       sweep() }
  od
}

/* ---------- workers/commands ---------- */

inline take(j) {
  job[j] = ACTIVE;
  jobOwner[j] = w + 1;
  mine = j + 1;
  work = jobWork[j];
  hand[w] = hand[w] | work;
  repeat = (jobStarted[j] -> repeat | work : repeat);
  jobStarted[j] = true;
  event(TAKEN, w)
}

inline forget() { late = 0; unsure = 0; found = 0; begun = 0; locked = 0; overdue = 0; seen[0] = 0; seen[1] = 0 }

/* The job ends with its batch; commands that are locked elsewhere wait in the worker's retry queue. */
inline finish() {
  repeat = repeat & ~(work & ~locked);
  maybe = maybe & ~(work & ~locked);
  retry = retry | (work & locked);
#ifdef HALVES_OVERTAKE
  work = second;
#else
  if :: (work & locked) -> retry = retry | second; work = 0 :: else -> work = second fi;
#endif
  second = 0;
  if
  :: work == 0 && mine > 0 -> if :: jobOwner[mine - 1] == w + 1 -> dropJob(mine - 1) :: else fi; mine = 0
  :: else
  fi;
  forget();
  tries = 0;
  hand[w] = work | retry;
  sweep()
}

/* The dead worker's job has no owner until BullMQ gives it to another one. */
inline die(heir) {
  passLocks(w + 1, heir);
  broken[w] = false;
  if :: mine > 0 && jobOwner[mine - 1] == w + 1 -> jobOwner[mine - 1] = 0 :: else fi;
  mine = 0; work = 0; second = 0; retry = 0; repeat = 0; maybe = 0; tries = 0; hand[w] = 0;
  forget();
  sweep()
}

/* The next attempt looks for stored replies; after COMMIT was sent, this one may have been applied (retries.ts). */
inline failed(heir, wasSent) {
  passLocks(w + 1, heir);
  broken[w] = false;
  repeat = repeat | work;
#ifndef DOUBT_IS_NO
  maybe = (wasSent -> maybe | work : maybe);
#endif
  forget()
}

inline lockKeys() {
#ifndef NO_KEY_LOCK
  for (each(work)
    if
    :: !KEYED(i)
    :: KEYED(i) && isFree(keyLock[ID(i)], w + 1) -> keyLock[ID(i)] = w + 1
    :: KEYED(i) && !isFree(keyLock[ID(i)], w + 1) -> locked = locked | BIT(i)
    fi
  next
#else
  skip
#endif
}

/* By PostgreSQL's clock (begin.ts). */
inline readTimes() {
  for (each(work)
    if :: age[i] == OVER -> overdue = overdue | BIT(i) :: else fi;
#ifndef NO_DEADLINE
    if :: age[i] != FRESH -> late = late | BIT(i) :: else fi;
#endif
#ifndef NO_REPLIES_SINCE
    if :: has(forgotten, i) && !KEYED(i) -> late = late | BIT(i); unsure = unsure | BIT(i) :: else fi;
#endif
    if :: has(maybe | locked, i) -> unsure = unsure | BIT(i) :: else fi
  next
}

/* Rows, and stored replies of commands that may have run; then what is left out, with what follows (left-out.ts). */
inline load() {
  for (each(work)
    if :: (has(repeat | late, i) || KEYED(i)) && proof(i) -> found = found | BIT(i) :: else fi;
    if
    :: MAKES(i)
#ifndef NO_ROW_LOCK
    :: !MAKES(i) && !isFree(rowLock[ROW(i)], w + 1) -> locked = locked | BIT(i)
#endif
    :: else -> if :: rowLock[ROW(i)] == 0 -> rowLock[ROW(i)] = w + 1 :: else fi; seen[ROW(i)] = version[ROW(i)]
    fi;
    locked = locked & ~late
  next;
#ifndef OVERTAKE
  if :: DOOR(0) == DOOR(1) && has(locked, 0) && has(work & ~late, 1) -> locked = locked | BIT(1) :: else fi;
#endif
  begun = work & ~(late | found | locked);
  /* The second of one key in a transaction finds the reply of the first. */
  if :: ID(0) == ID(1) && begun == BOTH -> begun = BIT(0); found = found | BIT(1) :: else fi
}

/* True if a proof that this transaction writes is there already, or another one is about to write it. */
#ifdef NO_UNIQUE
#define isTaken(r) false
#define isWaiting(r) false
#else
#define isTaken(r) (has(begun, r) && proof(r))
#define isWaiting(r) (has(begun, r) && !isFree(inserting[ID(r)], w + 1))
#endif
#define anyTaken (isTaken(0) || isTaken(1))
#define anyWaiting (isWaiting(0) || isWaiting(1))

/* Of two idle workers the first takes the job, since they are alike. */
#define mayTake(j) (job[j] == QUEUED && work == 0 && (w == 0 || hand[0] != 0))

proctype worker(byte w) {
  byte mine;   /* the job in hand, from 1 */
  byte work, second, retry; /* requests of this transaction, of the other half of a failed one, of the retry queue */
  byte repeat, maybe;       /* may have run before: anywhere; in a transaction of this worker */
  byte locked, late, unsure, found, begun, overdue, tries;
  byte seen[R];
end_idle:
  do
  :: d_step { mayTake(0) -> take(0) }
  :: d_step { mayTake(1) -> take(1) }
  :: d_step { retry != 0 && work == 0 -> work = retry; retry = 0 }
  :: work != 0 ->
     tries = 1;
again:
     skip;
#ifdef TIMES_FIRST
     d_step { readTimes() };
     d_step { lockKeys(); load() };
#else
     d_step { lockKeys(); readTimes(); load() };
#endif
     /* Each change is written with its proof, which no other transaction may have written. */
     if
     :: d_step { !broken[w] && !anyTaken && !anyWaiting -> for (each(begun) inserting[ID(i)] = w + 1 next; event(BEGUN, w) }
     :: atomic { !broken[w] && !anyWaiting && anyTaken -> failed(0, false); goto refused }
     :: atomic { broken[w] -> failed(0, false); goto outage }
     :: atomic { fault(CUT, w); failed(0, false); goto outage }
     :: atomic { !broken[w] && begun != 0 && fault(REFUSED, w); failed(0, false); goto refused }
     fi;
#ifdef ANSWER_FIRST
     d_step { for (each(begun) reply(i, DONE) next };
#endif
     if
     :: d_step { !broken[w] ->
          event(COMMITTED, w);
          for (each(begun) on_the_latest_row(MAKES(i) || seen[ROW(i)] == version[ROW(i)]) next;
          apply(begun, overdue); passLocks(w + 1, 0) }
     :: atomic { broken[w] -> failed(0, true); goto outage }
     :: atomic { !broken[w] && orphan == 0 && begun != 0 && fault(CUT_IN_COMMIT, w);
          orphan = begun; orphanOverdue = overdue; failed(ORPHAN, true); goto outage }
     :: atomic { !broken[w] && orphan == 0 && begun != 0 && fault(KILLED_IN_COMMIT, w);
          orphan = begun; orphanOverdue = overdue; die(ORPHAN); goto end_idle }
     fi;
     if
     :: d_step {
          event(REPLIED, w);
#ifdef LOG_LATER
          for (each(begun) actionLog[ID(i)]++ next;
#endif
          for (each(work & ~locked)
            if
            :: has(found | begun, i) -> reply(i, DONE)
            :: !has(found | begun, i) && has(unsure, i) -> reply(i, UNKNOWN)
            :: else -> reply(i, NO)
            fi
          next;
          finish() }
     :: d_step { fault(REPLY_LOST, w); finish() }
     :: d_step { fault(KILLED, w); die(0) }
     fi;
     goto end_idle;
refused:
     if
     :: atomic { work == BOTH -> second = BIT(1); work = BIT(0); tries = 1 }
     :: atomic { work != BOTH && tries < 3 -> tries++ }
     :: atomic { work != BOTH && tries == 3 -> goto turnedAway }
     fi;
     goto again;
outage:
     if
     :: atomic { tries == 1 -> tries = 2; goto again }
     :: else
     fi;
turnedAway:
     skip;
     d_step {
       event(TURNED_AWAY, w);
       for (each(work) if :: has(maybe, i) -> reply(i, UNKNOWN) :: else -> reply(i, NO) fi next;
       finish() }
     goto end_idle
  od
}

/* ---------- the rest of the world ---------- */

/* BullMQ gives a job to another worker 3 s after its worker was last heard of; its callers wait for 1.5 s. */
#ifdef SHORT_LOCK
#define isSettled(j, r) true
#else
#define isSettled(j, r) (!has(jobWork[j], r) || age[r] == OVER)
#endif
#define mayComeAgain(j) (job[j] == ACTIVE && isSettled(j, 0) && isSettled(j, 1))
inline comeAgain(j) { job[j] = QUEUED; event(COMES_AGAIN, j) }

#define mayAge(r) (where[r] != NEW && age[r] < OVER)
inline getOlder(r) {
  age[r]++;
  event(OLDER, r);
#ifndef LATE_REPLY_COUNTS
  if :: age[r] == OVER -> giveUp(r) :: else fi;
#endif
  sweep()
}

/* Time, Redis, PostgreSQL, and another program that holds the first row for a while. */
proctype world() {
end:
  do
  :: d_step { mayAge(0) -> getOlder(0)
     }
  :: d_step { mayAge(1) && age[0] > age[1] -> getOlder(1) }
  :: d_step { mayComeAgain(0) && jobOwner[0] == 0 -> comeAgain(0) }
  :: d_step { mayComeAgain(1) && jobOwner[1] == 0 -> comeAgain(1) }
  :: d_step { job[0] != ABSENT && fault(FLUSHED, 0); dropJob(0); dropJob(1); sweep() }
  :: d_step { orphan != 0 -> event(ORPHAN_COMMITTED, 0); apply(orphan, orphanOverdue); endOrphan() }
  :: d_step { orphan != 0 -> event(ORPHAN_ROLLED_BACK, 0); endOrphan() }
#ifdef ORDER
  :: d_step { rowLock[0] == 0 && !wasHeld -> rowLock[0] = HOLDER; wasHeld = true; event(ROW_HELD, 0) }
  :: d_step { rowLock[0] == HOLDER -> rowLock[0] = 0; event(ROW_LET_GO, 0) }
#endif
#ifdef TWIN /* a fail-over forgets that the job was taken */
  :: d_step { job[0] == ACTIVE && fault(FAILED_OVER, 0); comeAgain(0); jobStarted[0] = false }
#endif
  :: d_step { mayComeAgain(0) && jobOwner[0] != 0 && fault(STALLED, 0); comeAgain(0) }
  :: d_step { mayComeAgain(1) && jobOwner[1] != 0 && fault(STALLED, 1); comeAgain(1) }
  /* A crash empties the replies without a key, which are unlogged. */
  :: d_step { orphan == 0 && fault(CRASHED, 0);
       for (k : 0 .. R - 1) {
         keyLock[k] = 0; inserting[k] = 0;
         if :: rowLock[k] != HOLDER -> rowLock[k] = 0 :: else fi;
         if :: !KEYED(k) -> inbox[ID(k)] = false :: else fi;
         if :: where[k] != NEW -> forgotten = forgotten | BIT(k) :: else fi
       }
       broken[0] = hand[0] != 0; broken[1] = hand[1] != 0 }
  od
}

init {
  atomic { run request(0); run request(1); run worker(0); run worker(1); run world() }
}
