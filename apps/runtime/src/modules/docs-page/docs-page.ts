// The reference page of a project's API. In: a request's head. Out: the page or a part of it. The page contains no data
// of any project: like every client, it asks for a key and reads the document with it. So the page itself needs no
// credential. Scalar renders the reference, from the copy that is installed here. The page loads nothing from
// elsewhere, and its content security policy enforces that.
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Head, OpenPage, Reply } from "../../http/contracts.ts";

interface Part {
  readonly file: URL;
  readonly type: string;
}

const scalar = new URL("browser/standalone.js", import.meta.resolve("@scalar/api-reference"));
const own = (name: string): URL => new URL(name, import.meta.url);

const parts: ReadonlyMap<string, Part> = new Map([
  ["/v1/docs", { file: own("shell.html"), type: "text/html; charset=utf-8" }],
  ["/v1/docs/shell.css", { file: own("shell.css"), type: "text/css; charset=utf-8" }],
  ["/v1/docs/shell.js", { file: own("shell.js"), type: "text/javascript; charset=utf-8" }],
  ["/v1/docs/reference.js", { file: scalar, type: "text/javascript; charset=utf-8" }],
]);

/** Scalar sets inline styles, and draws icons from `data:` addresses. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The parts only change with the cell's version. A browser checks for a new version once an hour. */
const common = {
  "cache-control": "public, max-age=3600",
  "content-security-policy": policy,
  "referrer-policy": "no-referrer",
  vary: "accept-encoding",
} as const;

const gzipped = promisify(gzip);

/** Null for every path that isn't the page's. */
export function createDocsPage(): (head: Head) => OpenPage | null {
  const kept = new Map<Part, Promise<Buffer>>();

  async function packed(part: Part): Promise<Buffer> {
    const known = kept.get(part) ?? readFile(part.file).then((bytes) => gzipped(bytes));
    kept.set(part, known);
    return known;
  }

  async function replyWith(part: Part, head: Head): Promise<Reply> {
    const headers = { ...common, "content-type": part.type };
    if (!/\bgzip\b/.test(String(head.headers["accept-encoding"] ?? "")))
      return { status: 200, headers, body: createReadStream(fileURLToPath(part.file)) };
    const bytes = await packed(part);
    return {
      status: 200,
      headers: { ...headers, "content-encoding": "gzip", "content-length": String(bytes.length) },
      body: Readable.from([bytes]),
    };
  }

  return (head) => {
    const part = head.method === "GET" ? parts.get(head.path) : undefined;
    return part === undefined ? null : { projectId: null, reply: () => replyWith(part, head) };
  };
}
