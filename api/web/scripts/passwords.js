// Adds a button to each password field that shows the typed text until the form is sent.
for (const field of document.querySelectorAll("input[type=password]")) {
  const button = document.createElement("button");
  const show = (isShown) => {
    field.type = isShown ? "text" : "password";
    button.textContent = isShown ? "Hide password" : "Show password";
  };
  button.type = "button";
  button.className = "link";
  button.addEventListener("click", () => show(field.type === "password"));
  field.form.addEventListener("submit", () => show(false));
  field.after(button);
  show(false);
}
