import { setDefaultTimeout } from "bun:test";

// Real servers and processes on a small, busy machine take longer than the default of 5 s.
setDefaultTimeout(60_000);
