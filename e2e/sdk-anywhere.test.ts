// The published SDK, installed in an ordinary app, against a real cell: it compiles there, and runs in Node, in a real
// Chromium on a page of another origin with a strict content security policy, and in workerd, the runtime of
// Cloudflare's edge.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { freePort } from "@plinth/testkit";
import type { Browser } from "playwright-core";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBrowser } from "./browser.ts";
import { until } from "./published-cell.ts";
import { makeSdkApp, type SdkApp } from "./sdk-app.ts";
import { type Desk, startDesk } from "./sdk-desk.ts";
import type { Tour, TourSettings } from "./sdk-tour.ts";

/** The path of the binary. */
const { default: workerd } = createRequire(import.meta.url)("workerd") as { readonly default: string };
let desk: Desk;
let app: SdkApp;
beforeAll(async () => {
  [desk, app] = await Promise.all([startDesk(), makeSdkApp("module")]);
}, 120_000);
afterAll(async () => {
  app?.remove();
  await desk?.close();
});

/** Returns one file without imports. @throws Error if the bundle needs a module of Node. */
async function bundled(program: string): Promise<string> {
  const entry = resolve(app.folder, "src/app.ts");
  const built = await rolldown({
    input: entry,
    platform: "browser",
    external: /^node:/,
    plugins: [
      { name: "app", load: (id) => (id === entry ? program : null), resolveId: (id) => (id === entry ? id : null) },
    ],
  });
  const { output } = await built.generate({ format: "esm", minify: true });
  await built.close();
  const [{ code, imports, dynamicImports }] = output;
  if (output.length > 1 || imports.length + dynamicImports.length > 0) {
    throw new Error(`the bundle asks for more: ${[...imports, ...dynamicImports].join(", ")}`);
  }
  return code;
}

const settingsOf = (name: string): TourSettings => ({ baseUrl: desk.cell.origin, apiKey: desk.publishable, name });

function expected(name: string): Omit<Tour, "secretKey"> {
  const [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map((title) => `${name} ${title}`) as [
    ...[string, string, string, string, string],
  ];
  const around = { board: { name }, created_by: { nickname: name } };
  return {
    user: name,
    seen: [
      { title: e, ...around },
      { title: d, ...around },
    ],
    iterated: [a, b, c, d, e],
    once: true,
    batched: [`${name} garden`, "Dig"],
    allowed: [true, false],
    errors: ["Conflict 409 /name", "PreconditionFailed 412", "NotFound 404", "ValidationFailed 422 /place /rank"],
    aborted: ["AbortError", "AbortError", "AbortError"],
    lists: [
      [e, d, c],
      ["new", e, d],
      ["new", "other", e],
      ["new", "changed", e],
      ["changed", "new", e],
      ["changed", e, d],
    ],
    changes: ["ready", "created", "updated changed", "updated new", "gone"],
    genuine: "1 WebhookRefused",
    node: [],
  };
}

const run = promisify(execFile);

/** The tour, compiled and run by Node without a bundler. */
async function ranByNode({ folder }: SdkApp, name: string): Promise<unknown> {
  const program = `import("./dist/sdk-tour.js").then(async (all) =>
    console.log(JSON.stringify(await (all.tour ?? all.default.tour)(${JSON.stringify(settingsOf(name))}))))`;
  const { stdout } = await run(process.execPath, ["--eval", program], { cwd: folder });
  return JSON.parse(stdout);
}

test("works in Node, compiled by TypeScript without special options", async () => {
  await app.compile("7");
  const node = expect.arrayContaining(["process", "Buffer"]);
  expect(await ranByNode(app, "node")).toEqual({ ...expected("node"), node, secretKey: "taken" });
  const map = JSON.parse(readFileSync(join(app.folder, "node_modules/@plinth/sdk/dist/index.js.map"), "utf8"));
  expect(map.sources).toContain("../src/client.ts");
  expect(map.sourcesContent.join("")).toContain("export function createClient");
}, 60_000);

test("works in a CommonJS app, with an older TypeScript", async () => {
  const older = await makeSdkApp("commonjs");
  try {
    await older.compile("6");
    expect(await ranByNode(older, "commonjs")).toMatchObject({ user: "commonjs", secretKey: "taken" });
  } finally {
    older.remove();
  }
}, 60_000);

test("works with every entry, bundled, and with strict compiler options", async () => {
  await app.compile("7", {
    module: "ESNext",
    moduleResolution: "Bundler",
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
  });
}, 60_000);

test("works in a browser, on a page of another origin", async () => {
  const script = await bundled('import { tour } from "./sdk-tour.js";\nObject.assign(globalThis, { tour });\n');
  const page = `<!doctype html><meta charset="utf-8"><title>app</title><script type="module" src="/app.js"></script>`;
  const policy = `default-src 'none'; script-src 'self'; connect-src ${desk.cell.origin}`;
  const site = await serve(
    (path) => (path === "/app.js" ? ["text/javascript", script] : path === "/" ? ["text/html", page] : null),
    policy,
  );
  let browser: Browser | null = null;
  try {
    browser = await startBrowser();
    const tab = await browser.newPage();
    const complaints: string[] = [];
    tab.on("pageerror", (error) => complaints.push(error.message));
    tab.on("console", (message) => complaints.push(message.text()));
    await tab.goto(site.origin);
    await tab.waitForFunction("'tour' in globalThis");
    const settings = settingsOf("browser");
    const seen = await tab.evaluate(`tour(${JSON.stringify(settings)})`);
    expect(seen).toEqual({ ...expected("browser"), secretKey: "TypeError" });
    expect(site.origin).not.toBe(desk.cell.origin);
    // Chromium logs every failed reply: the four that the tour causes, and nothing else.
    expect(complaints.map((text) => /status of (\d+)/.exec(text)?.[1] ?? text).toSorted()).toEqual([
      "404",
      "409",
      "412",
      "422",
    ]);
  } finally {
    await browser?.close();
    await site.close();
  }
}, 120_000);

test("works on an edge runtime", async () => {
  const script = await bundled(`import { tour } from "./sdk-tour.js";
export default {
  async fetch(request) {
    try {
      return Response.json(await tour(await request.json()));
    } catch (error) {
      return Response.json({ error: String(error), stack: error.stack });
    }
  },
};
`);
  const edge = await startEdge(script);
  try {
    const reply = await fetch(edge.origin, { method: "POST", body: JSON.stringify(settingsOf("edge")) });
    expect(await reply.json()).toEqual({ ...expected("edge"), secretKey: "taken" });
  } finally {
    await edge.close();
  }
}, 120_000);

interface Running {
  readonly origin: string;
  readonly close: () => Promise<void>;
}

async function serve(
  answer: (path: string) => readonly [type: string, body: string] | null,
  policy: string,
): Promise<Running> {
  const server: Server = createServer((request, response) => {
    const [type, body] = answer(request.url ?? "/") ?? [];
    response.writeHead(type === undefined ? 204 : 200, {
      ...(type !== undefined && { "content-type": type }),
      "content-security-policy": policy,
    });
    response.end(body);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  return {
    origin: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Starts workerd. At this compatibility date it has no globals of Node. It may connect to the cell. */
async function startEdge(script: string): Promise<Running> {
  const port = await freePort();
  writeFileSync(resolve(app.folder, "app.js"), script);
  writeFileSync(
    resolve(app.folder, "edge.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "app", worker = (
      modules = [(name = "app.js", esModule = embed "app.js")],
      compatibilityDate = "2024-01-01",
      globalOutbound = "cell",
    )),
    (name = "cell", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "app")],
);
`,
  );
  const child: ChildProcess = spawn(workerd, ["serve", resolve(app.folder, "edge.capnp")], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const origin = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(origin, { method: "POST", body: "{" })).status > 0, 20);
  return {
    origin,
    close: async () => {
      const ended = new Promise((done) => child.once("exit", done));
      child.kill("SIGTERM");
      await ended;
    },
  };
}
