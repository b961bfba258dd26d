// The page for an error while rendering. In: the error. Out: buttons to try again and to leave; never a stack.
"use client";
import { Button, ButtonLink } from "../ui/button.tsx";
import { Logo } from "../ui/logo.tsx";

export default function ErrorPage({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <main id="content" className="grid min-h-dvh place-items-center p-6">
      <div className="flex max-w-sm flex-col items-center text-center" role="alert">
        <Logo className="mb-6 size-7" />
        <h1 className="text-xl font-semibold tracking-tight">This page couldn't be shown</h1>
        <p className="mt-1.5 text-pretty text-ink-soft">
          This is our fault, and nothing was changed. Try again. If it fails again, go back to your projects.
        </p>
        {error.digest ? <p className="mt-2 font-mono text-xs text-ink-soft">Reference {error.digest}</p> : null}
        <div className="mt-6 flex gap-2">
          <Button variant="primary" size="large" onClick={reset}>
            Try again
          </Button>
          <ButtonLink href="/projects" size="large">
            Go to projects
          </ButtonLink>
        </div>
      </div>
    </main>
  );
}
