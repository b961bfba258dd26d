// What a page may load and do. In: a request for a page. Out: the same with a fresh nonce, which Next.js puts on its own
// scripts and styles; all other inline ones are refused by the browser. See docs/decisions/0019-people-of-the-console.md.
import { type NextRequest, NextResponse } from "next/server";

export function proxy(request: NextRequest): NextResponse {
  const nonce = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16))));
  const policy = contentSecurityPolicy(nonce);
  const headers = new Headers(request.headers);
  // Next.js reads the nonce from here; whatever the client sent under this name is overwritten.
  headers.set("content-security-policy", policy);
  headers.delete("content-security-policy-report-only");
  const response = NextResponse.next({ request: { headers } });
  response.headers.set("content-security-policy", policy);
  return response;
}

function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    // The scripts with the nonce load the others; a browser that knows `strict-dynamic` ignores 'self'.
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'self' 'nonce-${nonce}'`,
    // The editor checks its text on a thread of its own.
    "worker-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

export const config = {
  matcher: [
    // Everything but built files. Prefetches are parts of a page that is there already, with its own policy.
    {
      source: "/((?!_next/static|icon.svg).*)",
      missing: [{ type: "header", key: "next-router-prefetch" }],
    },
  ],
};
