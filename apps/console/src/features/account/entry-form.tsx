// The form for signing in and signing up. In: the fields, the submit button, and the link to the other form. Out: one `onSubmit` for each
// submit; the problem of the last one above the fields.
"use client";
import Link from "next/link";
import type { FormEvent, ReactNode } from "react";
import { Button } from "../../ui/button.tsx";
import { CenteredIntro } from "../../ui/centered-page.tsx";
import { Notice } from "../../ui/notice.tsx";

interface EntryFormProps {
  title: string;
  intro: string;
  problem: string | null;
  /** The text of the submit button. */
  action: string;
  pending: boolean;
  onSubmit: () => void;
  children: ReactNode;
  /** The link to the other form, after a question such as "New to Plinth?". */
  other: { readonly question: string; readonly link: string; readonly href: string };
}

export function EntryForm({ title, intro, problem, action, pending, onSubmit, children, other }: EntryFormProps) {
  function submit(event: FormEvent): void {
    event.preventDefault();
    onSubmit();
  }

  return (
    <>
      <CenteredIntro title={title}>{intro}</CenteredIntro>
      <form className="flex flex-col gap-4" onSubmit={submit}>
        {problem ? <Notice tone="bad">{problem}</Notice> : null}
        {children}
        <Button type="submit" variant="primary" size="large" pending={pending}>
          {action}
        </Button>
      </form>
      <p className="mt-6 text-ink-soft">
        {other.question}{" "}
        <Link
          href={other.href}
          className="font-medium text-ink underline decoration-line-strong underline-offset-4 hover:decoration-ink"
        >
          {other.link}
        </Link>
      </p>
    </>
  );
}
