// Tells the page when something has changed elsewhere. Only a visible page holds a connection, because a browser has
// six for all its pages.
const mark = document.getElementById("live");
let source;
let later;

function open() {
  if (!mark || source || document.hidden) return;
  const { follows, version } = mark.dataset;
  source = new EventSource(`/account/live?${new URLSearchParams({ follows, version })}`);
  source.addEventListener("changed", ({ lastEventId }) => {
    clearTimeout(later);
    later = setTimeout(() => {
      if (lastEventId !== mark.dataset.version) dispatchEvent(new Event("stale"));
    }, 300);
  });
  source.addEventListener("goodbye", close);
  source.addEventListener("error", () => {
    // A connection that the browser gave up is tried again now and then.
    if (source?.readyState !== EventSource.CLOSED) return;
    close();
    setTimeout(open, 20_000 + Math.random() * 20_000);
  });
}

function close() {
  source?.close();
  source = undefined;
}

document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
addEventListener("pagehide", close);
addEventListener("pageshow", open);
