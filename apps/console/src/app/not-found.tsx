// The page for an unknown address. In: nothing. Out: a link to the projects.
import type { Metadata } from "next";
import { ButtonLink } from "../ui/button.tsx";
import { Logo } from "../ui/logo.tsx";

export const metadata: Metadata = { title: "Page not found" };

export default function NotFound() {
  return (
    <main id="content" className="grid min-h-dvh place-items-center p-6">
      <div className="flex max-w-sm flex-col items-center text-center">
        <Logo className="mb-6 size-7" />
        <p className="font-mono text-xs text-ink-soft">404</p>
        <h1 className="mt-1 text-xl font-semibold tracking-tight">This page doesn't exist</h1>
        <p className="mt-1.5 text-pretty text-ink-soft">
          The address may have a typing error, or the page was moved. You can find your projects below.
        </p>
        <ButtonLink href="/projects" variant="primary" size="large" className="mt-6">
          Go to projects
        </ButtonLink>
      </div>
    </main>
  );
}
