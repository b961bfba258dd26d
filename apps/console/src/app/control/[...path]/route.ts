// The browser's one way to the control API: /control/* on this origin. In: any request. Out: the answer, streamed.
// It passes cookies and the origin on unchanged (control judges both), and never follows redirects or caches.
import { controlUrl } from "../../../main.ts";

export const dynamic = "force-dynamic";

/** Headers that speak of one connection, not of the request (RFC 9110, 7.6.1), and those that fetch sets itself. */
const connectionHeaders = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "host",
  "content-length",
  "expect",
];

async function forward(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const headers = withoutConnectionHeaders(request.headers);
  // What comes back is passed on as it is read, so it must not be compressed in between.
  headers.set("accept-encoding", "identity");
  const hasBody = request.method !== "GET" && request.method !== "HEAD";
  try {
    const answer = await fetch(`${controlUrl()}${pathname.slice("/control".length)}${search}`, {
      method: request.method,
      headers,
      redirect: "manual",
      cache: "no-store",
      signal: request.signal,
      ...(hasBody ? { body: request.body, duplex: "half" as const } : {}),
    });
    return new Response(answer.body, { status: answer.status, headers: withoutConnectionHeaders(answer.headers) });
  } catch (cause) {
    if (request.signal.aborted) return new Response(null, { status: 499 });
    const code = cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : String(cause);
    process.stderr.write(
      `${JSON.stringify({ level: "error", name: "console", msg: "control API unreachable", code })}\n`,
    );
    return Response.json(
      { title: "The control API can't be reached", status: 502, code: "control_unreachable" },
      { status: 502, headers: { "content-type": "application/problem+json" } },
    );
  }
}

function withoutConnectionHeaders(source: Headers): Headers {
  const headers = new Headers(source);
  for (const name of connectionHeaders) headers.delete(name);
  return headers;
}

export {
  forward as DELETE,
  forward as GET,
  forward as HEAD,
  forward as OPTIONS,
  forward as PATCH,
  forward as POST,
  forward as PUT,
};
