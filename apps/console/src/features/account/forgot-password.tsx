// Asks for a link that sets a new password. In: an email. Out: where the link is now, in the same words whether or not an account has the
// address. A Plinth that sends no mail says who can help instead.
"use client";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ButtonLink } from "../../ui/button.tsx";
import { CenteredIntro } from "../../ui/centered-page.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Notice } from "../../ui/notice.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { EmailField } from "./account-fields.tsx";
import { askForReset, type MailWay, readMailWay } from "./auth-client.ts";
import { EntryForm } from "./entry-form.tsx";

export function ForgotPassword() {
  const way = useQuery({ queryKey: ["mail-way"], queryFn: readMailWay, retry: false });
  const [email, setEmail] = useState("");
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [isAsked, setIsAsked] = useState(false);

  async function submit(): Promise<void> {
    setPending(true);
    const refused = await askForReset(email);
    setPending(false);
    setProblem(refused);
    setIsAsked(refused === null);
  }

  if (way.isPending) return <SkeletonRows rows={3} />;
  if (way.data === "none") return <AskTheOperator />;
  if (isAsked) return <Asked email={email} way={way.data ?? "smtp"} />;
  return (
    <EntryForm
      title="Forgotten password"
      intro="You get a link that sets a new password."
      problem={problem}
      action="Send link"
      pending={pending}
      onSubmit={() => void submit()}
      other={{ question: "Remembered it?", link: "Sign in", href: "/sign-in" }}
    >
      <EmailField value={email} onChange={setEmail} />
    </EntryForm>
  );
}

function Asked({ email, way }: { email: string; way: MailWay }) {
  if (way === "smtp") {
    return (
      <Answer title="Look into your mail">
        If an account has the address {email}, a link is on its way. It works once, for 30 minutes.
      </Answer>
    );
  }
  return (
    <>
      <CenteredIntro title="Look into the mailbox">
        This Plinth runs on your machine and sends no mail. If an account has the address {email}, the link is in its
        mailbox:
      </CenteredIntro>
      <CodeBlock label="command" code="npx plinth people mails" />
      <BackToSignIn />
    </>
  );
}

function AskTheOperator() {
  return (
    <>
      <CenteredIntro title="Forgotten password">
        This Plinth sends no mail, so it can't send you a link. Ask the person who runs it: one command creates a link
        for you.
      </CenteredIntro>
      <CodeBlock label="command" code="npx plinth people reset-password you@example.com" />
      <BackToSignIn />
    </>
  );
}

function Answer({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      <CenteredIntro title={title}>{children}</CenteredIntro>
      <Notice tone="neutral">No mail? Look into the spam folder. Three mails an hour are sent to one address.</Notice>
      <BackToSignIn />
    </>
  );
}

function BackToSignIn() {
  return (
    <div className="mt-6">
      <ButtonLink href="/sign-in" size="large">
        Back to sign in
      </ButtonLink>
    </div>
  );
}
