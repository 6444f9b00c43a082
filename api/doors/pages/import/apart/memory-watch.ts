/** A thread beside the reader's: the parse of a file keeps that one from looking. A full account's export needs half of it. */
const mostBytes = 256 * 1024 * 1024;

setInterval(() => {
  if (process.memoryUsage.rss() > mostBytes) process.kill(process.pid, "SIGKILL");
}, 5);
