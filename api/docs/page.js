"use strict";

// strict makes a misspelt name an error.
function strict(request) {
  const to = new URL(request.url, location.href);
  if (to.pathname.startsWith("/v1.1/") && !to.searchParams.has("strict")) {
    to.searchParams.set("strict", "1");
    request.url = to.href;
  }
  return request;
}

// Without validatorUrl: null the page would ask a validator on another host.
SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  filter: true,
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  persistAuthorization: false,
  requestInterceptor: strict,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
});
