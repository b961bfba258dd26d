// The other side of the webhook benchmark, as a separate process. In: `receive`, or `send URL COUNT AT_ONCE BODY
// HEADERS`. Out, on the first line: the receiver's port, or the seconds that undici alone needed.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Pool } from "undici";

const [what, url = "", count = "0", atOnce = "0", body = "", headers = "{}"] = process.argv.slice(2);
if (what === "receive") receive();
else await send();

/** Answers at once. `GET /` returns the number of requests, `GET /last` the headers and body of the last one. */
function receive(): void {
  let came = 0;
  let last = { headers: {}, body: "" };
  const server = createServer((request, response) => {
    if (request.method === "GET") {
      response.end(request.url === "/last" ? JSON.stringify(last) : String(came));
      return;
    }
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => {
      body += chunk;
    });
    request.on("end", () => {
      came++;
      last = { headers: request.headers, body };
      response.writeHead(200).end();
    });
  });
  server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
}

async function send(): Promise<void> {
  const pool = new Pool(url, { connections: Number(atOnce) });
  const { host: _, connection: __, "content-length": ___, ...sent } = JSON.parse(headers) as Record<string, string>;
  let left = Number(count);
  const loop = async (): Promise<void> => {
    while (left-- > 0) {
      const reply = await pool.request({ method: "POST", path: "/", headers: sent, body });
      await reply.body.dump();
    }
  };
  const startedMs = performance.now();
  await Promise.all(Array.from({ length: Number(atOnce) }, loop));
  console.log((performance.now() - startedMs) / 1_000);
  await pool.close();
}
