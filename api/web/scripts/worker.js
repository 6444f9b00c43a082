// Keeps the last Today for times without a connection, and shows reminders that come by push.
const cacheName = "today";
const today = "/account";

addEventListener("install", (event) => {
  skipWaiting();
  // Reminders come also where nothing can be kept.
  event.waitUntil(
    fetch(today)
      .then(keepToday)
      .catch(() => {}),
  );
});
addEventListener("activate", (event) => event.waitUntil(clients.claim()));

addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname, search } = new URL(request.url);
  if (origin !== location.origin) return;
  if (pathname === "/account/sign-out") return event.respondWith(signOut(request));
  if (request.method !== "GET") return;
  if (search.startsWith("?v=")) return event.respondWith(keptOr(request));
  if (pathname === today || request.mode === "navigate") event.respondWith(show(event, pathname));
});

const keptOr = async (request) => (await caches.match(request)) ?? fetch(request);

/** A script that finds no connection is told so. A person sees the last Today instead. */
async function show(event, pathname) {
  const { request } = event;
  try {
    const answer = await fetch(request);
    // Today leads to the sign-in when the session is over.
    if (pathname === today && answer.type === "opaqueredirect") event.waitUntil(caches.delete(cacheName));
    if (pathname === today && answer.ok) event.waitUntil(keepToday(answer.clone()));
    return answer;
  } catch (error) {
    const kept = request.mode === "navigate" && (await caches.match(today));
    if (!kept) throw error;
    return pathname === today ? kept : Response.redirect(today);
  }
}

/** Also keeps the files that the page links to, and no others. A page marked `data-kept` says when it was fetched. */
async function keepToday(answer) {
  if (!answer.ok || answer.redirected) return;
  const { headers } = answer;
  const text = (await answer.text()).replace("<html", `<html data-kept="${new Date().toISOString()}"`);
  const files = new Set([...text.matchAll(/"(\/[\w.-]+\?v=\w+)"/g)].map(([, file]) => file));
  const cache = await caches.open(cacheName);
  await cache.put(today, new Response(text, { headers }));
  for (const { url } of await cache.keys()) {
    const { pathname, search } = new URL(url);
    if (!files.delete(pathname + search) && pathname !== today) await cache.delete(url);
  }
  await cache.addAll([...files]);
}

/** Nothing of a person stays in the browser, not even where it does not know `Clear-Site-Data`. */
async function signOut(request) {
  const answer = await fetch(request);
  if (answer.type === "opaqueredirect" || answer.ok) {
    await caches.delete(cacheName);
    indexedDB.deleteDatabase("kept");
  }
  return answer;
}

addEventListener("push", (event) => {
  const { title, link, actions = [], ...shown } = event.data.json();
  const urls = Object.fromEntries(actions.map(({ action, url }) => [action, url]));
  const options = { ...shown, actions: actions.map(({ action, title }) => ({ action, title })) };
  event.waitUntil(registration.showNotification(title, { ...options, data: { link, urls } }));
});

addEventListener("notificationclick", (event) => {
  const { data } = event.notification;
  event.notification.close();
  event.waitUntil(clients.openWindow(data.urls[event.action] ?? data.link));
});
