// What `next build` and `next start` obey. In: nothing (the address of the control API is read at start, in src/main.ts).
// Out: the build's settings and the headers of every page. It never holds an address or a secret.
import type { NextConfig } from "next";

const securityHeaders = [
  { key: "X-Content-Type-Options", value: "nosniff" },
  { key: "X-Frame-Options", value: "DENY" },
  { key: "Referrer-Policy", value: "strict-origin-when-cross-origin" },
  { key: "Permissions-Policy", value: "camera=(), microphone=(), geolocation=(), payment=(), usb=()" },
  { key: "Cross-Origin-Opener-Policy", value: "same-origin" },
  {
    key: "Content-Security-Policy",
    // Next's bootstrap and the theme styles of the editor stand inline; everything else comes from here alone.
    value: [
      "default-src 'self'",
      "script-src 'self' 'unsafe-inline'",
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      "font-src 'self'",
      "connect-src 'self'",
      "object-src 'none'",
      "base-uri 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ].join("; "),
  },
];

const config: NextConfig = {
  poweredByHeader: false,
  reactStrictMode: true,
  devIndicators: false,
  transpilePackages: ["@plinth/blueprint", "@plinth/expression"],
  // The check command types this folder with the workspace's own compiler; a user's first start need not wait for it.
  typescript: { ignoreBuildErrors: true },
  headers: async () => [{ source: "/((?!control/).*)", headers: securityHeaders }],
};

export default config;
