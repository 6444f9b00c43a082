// Shows the service's own OpenAPI document to read. Nothing is sent from it: tokens do not belong into browsers' scripts.
async function show() {
  const response = await fetch("/openapi.json");
  const spec = await response.json();
  const { securitySchemes } = spec.components;
  // The viewer would ask another provider for its addresses, which the page's policy does not allow.
  if (securitySchemes.oauth.type === "openIdConnect") delete securitySchemes.oauth;
  SwaggerUIBundle({
    spec,
    dom_id: "#api",
    deepLinking: true,
    defaultModelsExpandDepth: 0,
    supportedSubmitMethods: [],
    validatorUrl: null,
    plugins: [{ wrapComponents: { authorizeBtn: () => () => null } }],
  });
}

show();
