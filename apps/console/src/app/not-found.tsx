// An address that leads nowhere. In: nothing. Out: the way back.
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
          The address may be mistyped, or what stood here was moved. Your projects are where they were.
        </p>
        <ButtonLink href="/projects" variant="primary" size="large" className="mt-6">
          Go to projects
        </ButtonLink>
      </div>
    </main>
  );
}
