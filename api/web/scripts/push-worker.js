// Shows reminders that come by push, and opens the page of a pressed button. It answers no requests of pages.
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
