// Tells the page when it is behind of what happened elsewhere. Only a page that is looked at holds a connection, because
// a browser has six for all of its pages.
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
    // What the browser gave up is tried again now and then.
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
