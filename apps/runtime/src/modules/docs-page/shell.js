// The page's own code, in the browser: it asks for a key, reads the document with it, and hands both to the reference.
const KEPT = "plinth-docs-key";
const [door, form, field, problem, leave, reference] = ["door", "form", "key", "problem", "leave", "reference"].map(
  (id) => document.getElementById(id),
);

/** Without the path of this page: the API may be served below a path. */
const api = location.pathname.replace(/\/v1\/docs\/?$/, "");

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void open(field.value.trim());
});

leave.addEventListener("click", () => {
  sessionStorage.removeItem(KEPT);
  location.reload();
});

const kept = sessionStorage.getItem(KEPT);
if (kept === null) askForKey("");
else void open(kept);

function askForKey(says) {
  problem.textContent = says;
  door.hidden = false;
  field.focus();
}

async function open(key) {
  problem.textContent = "";
  const found = await read(key);
  if (typeof found === "string") return askForKey(found);
  sessionStorage.setItem(KEPT, key);
  door.hidden = true;
  await show(found, key);
}

/** The document, or why it can't be had. */
async function read(key) {
  try {
    const reply = await fetch(`${api}/v1/openapi.json`, { headers: { authorization: `Bearer ${key}` } });
    const body = await reply.json();
    if (reply.ok) return body;
    if (reply.status === 401) return "There is no such key, or it has been revoked.";
    return body.detail ?? body.title;
  } catch {
    return "The API can't be reached. Try again.";
  }
}

async function show(described, key) {
  document.title = described.info.title;
  leave.hidden = false;
  // Written so that nothing but a browser follows it: the file is made of a package.
  await import(new URL("reference.js", import.meta.url).href);
  globalThis.Scalar.createApiReference(reference, {
    content: withoutPrefills({
      ...described,
      servers: [{ url: location.origin + api }],
      paths: eachOnce(described.paths),
    }),
    // Nothing is loaded from elsewhere, and nothing is told to anybody.
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: "never",
    persistAuth: false,
    authentication: { preferredSecurityScheme: "apiKey", securitySchemes: { apiKey: { token: key } } },
    defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  });
}

/** Records are served at `/api` and, with one or two names, at `/v1/resources`: a reader wants to see each operation once. */
function eachOnce(paths) {
  const shown = Object.entries(paths).filter(([path]) => !path.startsWith("/v1/resources/"));
  return Object.fromEntries(shown);
}

/** Scalar sends every parameter that has an example or a choice. Here a request begins plain, and these are to be read. */
function withoutPrefills(part) {
  if (Array.isArray(part)) return part.map(withoutPrefills);
  if (part === null || typeof part !== "object") return part;
  const copy = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, withoutPrefills(value)]));
  const isOptional = ["query", "header"].includes(copy.in) && copy.required !== true;
  return isOptional ? unsent(copy) : copy;
}

function unsent({ example, content, schema, description = "", ...rest }) {
  const { example: json, ...type } = content?.["application/json"] ?? {};
  const { enum: choices, ...plain } = schema ?? {};
  const isChoice = choices !== undefined && plain.default === undefined;
  const said = [
    description,
    ...(example === undefined ? [] : [`For example: \`${example}\``]),
    ...(json === undefined ? [] : [`For example: \`${JSON.stringify(json)}\``]),
    ...(isChoice ? [`One of ${choices.map((each) => `\`${each}\``).join(", ")}.`] : []),
  ];
  return {
    ...rest,
    ...(content !== undefined && { content: { "application/json": type } }),
    ...(schema !== undefined && { schema: isChoice ? plain : schema }),
    description: said.join("\n\n"),
  };
}
