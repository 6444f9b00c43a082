// Subscribes this browser to reminders (Web Push) and sends the subscription as a form.
const form = document.querySelector("#push-form");
const button = form?.querySelector("button");
const status = form?.querySelector("[role=status]");

if (form && navigator.serviceWorker && "PushManager" in window) {
  button.hidden = false;
  status.textContent = "";
  button.addEventListener("click", async (event) => {
    event.preventDefault();
    button.disabled = true;
    await subscribe().then(send, () => {
      status.textContent =
        "This browser did not allow it. Allow notifications of this site, then press again.";
    });
    button.disabled = false;
  });
}

async function subscribe() {
  if ((await Notification.requestPermission()) !== "granted") throw new Error("not granted");
  const { key } = form.dataset;
  await navigator.serviceWorker.register("/worker.js", { scope: "/account" });
  const { pushManager } = await navigator.serviceWorker.ready;
  // A subscription made with an earlier key of the service receives nothing any more.
  await (await pushManager.getSubscription())?.unsubscribe();
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
}

function send(subscription) {
  const { endpoint, keys } = subscription.toJSON();
  for (const [name, value] of Object.entries({ endpoint, ...keys }))
    if (form.elements[name]) form.elements[name].value = value;
  form.submit();
}
