// Tells the page when something has changed elsewhere. Only a visible page holds a connection, because a browser has
// six for all its pages.
const mark = document.getElementById("live");
let source;
let later;
let told = 0;

/** However fast an agent works, the page is shown anew at most once in so long. */
const everyMs = 2_000;

function open() {
  if (!mark || source || document.hidden) return;
  const { follows, version } = mark.dataset;
  source = new EventSource(`/account/live?${new URLSearchParams({ follows, version })}`);
  source.addEventListener("changed", ({ lastEventId }) => {
    mark.newest = lastEventId;
    if (later === undefined) later = setTimeout(tell, Math.max(300, told + everyMs - performance.now()));
  });
  source.addEventListener("goodbye", close);
  source.addEventListener("error", () => {
    // A connection that the browser gave up is tried again now and then.
    if (source?.readyState !== EventSource.CLOSED) return;
    close();
    setTimeout(open, 20_000 + Math.random() * 20_000);
  });
}

function tell() {
  later = undefined;
  told = performance.now();
  if (mark.newest !== mark.dataset.version) dispatchEvent(new Event("stale"));
}

function close() {
  source?.close();
  source = undefined;
}

document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
addEventListener("pagehide", close);
addEventListener("pageshow", open);
