// The document around every page. In: a page. Out: HTML with the local fonts, the skip link and the providers.
import "./globals.css";
import { GeistMono } from "geist/font/mono";
import { GeistSans } from "geist/font/sans";
import type { Metadata, Viewport } from "next";
import { cookies } from "next/headers";
import { connection } from "next/server";
import type { ReactNode } from "react";
import { THEME_COOKIE, themeOf } from "../theme.ts";
import { Providers } from "./providers.tsx";

export const metadata: Metadata = {
  title: { default: "Plinth", template: "%s · Plinth" },
  description: "Hosted backends, declared in one file.",
  robots: { index: false, follow: false },
};

export const viewport: Viewport = {
  colorScheme: "light dark",
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#fbfbfa" },
    { media: "(prefers-color-scheme: dark)", color: "#0f0f10" },
  ],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  // Every page is rendered for each request, because the nonce of its content security policy is only valid for one.
  await connection();
  const theme = themeOf((await cookies()).get(THEME_COOKIE)?.value);
  return (
    <html
      lang="en"
      className={`${GeistSans.variable} ${GeistMono.variable}`}
      data-theme={theme === "system" ? undefined : theme}
    >
      <body className="min-h-dvh font-sans">
        <a
          href="#content"
          className="fixed top-2 left-2 z-50 -translate-y-20 rounded-md bg-ink px-3 py-2 text-page focus:translate-y-0"
        >
          Skip to content
        </a>
        <Providers>{children}</Providers>
      </body>
    </html>
  );
}
