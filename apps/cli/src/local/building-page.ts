// Answers at the console's address while the console is being built. In: its port. Out: a page that explains it, and opens the
// console when that is ready. It only answers GET and HEAD, and keeps no connection open.
import { createServer } from "node:http";

export interface BuildingPage {
  /** Frees the port. Idempotent. */
  readonly stop: () => Promise<void>;
}

/** The console itself never sends this header: the page waits until it is missing. */
const mark = "x-plinth-building";

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Plinth is starting</title>
<style>
  :root { color-scheme: light dark; }
  body { font: 16px/1.5 system-ui, sans-serif; display: grid; place-content: center; min-height: 90vh; margin: 0 1.5rem; text-align: center; }
  p { opacity: .75; margin: .25rem 0; }
</style>
<h1>The console is being built</h1>
<p>This takes up to a minute after an update. The API already answers.</p>
<p>This page leads on by itself.</p>
<script>
  setInterval(async () => {
    try {
      const response = await fetch(location.href, { cache: "no-store", redirect: "manual" });
      if (!response.headers.has("${mark}")) location.reload();
    } catch {}
  }, 1000);
</script>
</html>
`;

/** Also resolves if the port is in use: the console itself reports that later. */
export async function serveBuildingPage(port: number): Promise<BuildingPage> {
  const server = createServer((request, response) => {
    response.setHeader("connection", "close");
    if (request.method !== "GET" && request.method !== "HEAD") return void response.writeHead(503).end();
    response.writeHead(503, {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "retry-after": "5",
      [mark]: "1",
    });
    response.end(request.method === "HEAD" ? undefined : page);
  });
  await new Promise<void>((done) => {
    server.once("error", () => done());
    server.listen(port, "127.0.0.1", done);
  });
  let stopped: Promise<void> | null = null;
  return {
    stop: () => {
      stopped ??= new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      });
      return stopped;
    },
  };
}
