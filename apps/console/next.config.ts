// What `next build` and `next start` obey. In: nothing (what the server is told at its start is read in src/main.ts).
// Out: the build's settings and the headers of every page. It never holds an address or a secret.
import type { NextConfig } from "next";

// The content security policy is made for each request, in src/proxy.ts.
const securityHeaders = [
  { key: "X-Content-Type-Options", value: "nosniff" },
  { key: "X-Frame-Options", value: "DENY" },
  { key: "Referrer-Policy", value: "same-origin" },
  {
    key: "Permissions-Policy",
    value: "camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), bluetooth=(), hid=(), midi=()",
  },
  { key: "Cross-Origin-Opener-Policy", value: "same-origin" },
  { key: "Cross-Origin-Resource-Policy", value: "same-origin" },
];

const config: NextConfig = {
  poweredByHeader: false,
  reactStrictMode: true,
  devIndicators: false,
  transpilePackages: ["@plinth/blueprint", "@plinth/expression"],
  // The check command types this folder with the workspace's own compiler; a user's first start need not wait for it.
  typescript: { ignoreBuildErrors: true },
  headers: async () => [{ source: "/:path*", headers: securityHeaders }],
};

export default config;
