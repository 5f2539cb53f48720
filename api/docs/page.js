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

// keyOfAddress takes a demo's key out of the address, where its history and bookmarks would keep it.
function keyOfAddress() {
  const key = "demo" in document.body.dataset && new URLSearchParams(location.hash.slice(1)).get("key");
  if (key) {
    history.replaceState(null, "", location.pathname);
  }
  return key;
}

// darkAsSystem has swagger-ui draw in the colours that the browser prefers, as the guides do by their style sheet.
function darkAsSystem() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", follow);
  follow();
}

darkAsSystem();
const key = keyOfAddress();

// Without validatorUrl: null the page would ask a validator on another host.
const ui = SwaggerUIBundle({
  url: "/docs/openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  filter: true,
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  persistAuthorization: false,
  requestInterceptor: strict,
  onComplete: () => key && ui.preauthorizeApiKey("key", key),
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
});
