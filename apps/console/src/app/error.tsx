// A page that failed while it was drawn. In: what was thrown. Out: a way to try again and a way out; never a stack.
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
          The fault is ours, and nothing of yours was changed. Try again; if it fails once more, go back to your
          projects.
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
