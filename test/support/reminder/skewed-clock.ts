/** Preloaded into a process whose clock is to be off by CLOCK_SKEW_MS. */
const skew = Number(process.env.CLOCK_SKEW_MS);
const RealDate = Date;

class SkewedDate extends RealDate {
  constructor(...args: [] | [string | number | Date]) {
    if (args.length === 0) super(RealDate.now() + skew);
    else super(...args);
  }
  static override now = (): number => RealDate.now() + skew;
}

globalThis.Date = SkewedDate as DateConstructor;
