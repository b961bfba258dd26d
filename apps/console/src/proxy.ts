// The content security policy of pages. In: a request for a page. Out: the request with a new nonce, which Next.js adds to its own scripts
// and styles. The browser refuses all other inline scripts and styles. See docs/decisions/0019-people-of-the-console.md.
import { type NextRequest, NextResponse } from "next/server";

export function proxy(request: NextRequest): NextResponse {
  const nonce = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16))));
  const policy = contentSecurityPolicy(nonce);
  const headers = new Headers(request.headers);
  // Next.js reads the nonce from this header; a value from the client is overwritten.
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
    // The editor checks its text in a worker.
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
    // Everything except built files. A prefetch is part of an open page, which has its own policy.
    {
      source: "/((?!_next/static|icon.svg).*)",
      missing: [{ type: "header", key: "next-router-prefetch" }],
    },
  ],
};
