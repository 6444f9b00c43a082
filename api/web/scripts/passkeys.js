// Forms that make a passkey or sign in with one: a field of the form sends the browser's answer.
for (const form of document.querySelectorAll("form[data-passkey]")) {
  const { passkey, options } = form.dataset;
  const parser = passkey === "create" ? "parseCreationOptionsFromJSON" : "parseRequestOptionsFromJSON";
  const status = form.querySelector("[role=status]");
  if (!globalThis.PublicKeyCredential?.[parser]) continue;
  form.hidden = false;
  for (const note of document.querySelectorAll("[data-no-passkey]")) note.hidden = true;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const publicKey = PublicKeyCredential[parser](JSON.parse(options));
      form.elements.credential.value = JSON.stringify(await navigator.credentials[passkey]({ publicKey }));
      form.submit();
    } catch (error) {
      status.textContent =
        error.name === "InvalidStateError"
          ? "This device has a passkey for your account already."
          : "The browser gave no passkey. Try again.";
    }
  });
}
