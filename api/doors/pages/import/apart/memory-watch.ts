/**
 * This thread watches beside the reader's, which is blocked while it parses. A full account's export needs half of
 * this.
 */
const mostBytes = 256 * 1024 * 1024;

setInterval(() => {
  if (process.memoryUsage.rss() > mostBytes) process.kill(process.pid, "SIGKILL");
}, 5);
