// The sign-in form. In: email and password, then a code where the account asks for one. Out: a session, and the page the person wanted.
"use client";
import { useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter, useSearchParams } from "next/navigation";
import { type FormEvent, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { CenteredIntro } from "../../ui/centered-page.tsx";
import { TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { signIn } from "./auth-client.ts";
import { CodeForm } from "./code-form.tsx";
import { nextPath, withNext } from "./next-path.ts";

export function SignInForm() {
  const router = useRouter();
  const next = nextPath(useSearchParams().get("next"));
  const queryClient = useQueryClient();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [needsCode, setNeedsCode] = useState(false);

  function enter(): void {
    queryClient.clear();
    router.replace(next);
  }

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    setPending(true);
    setProblem(null);
    const outcome = await signIn({ email, password });
    if (outcome === null) return enter();
    if (outcome === "code") setNeedsCode(true);
    else setProblem(outcome.refused);
    setPending(false);
  }

  if (needsCode) {
    return (
      <CodeForm
        onSignedIn={enter}
        onBack={() => {
          setNeedsCode(false);
          setPassword("");
        }}
      />
    );
  }
  return (
    <>
      <CenteredIntro title="Sign in">to your projects and their blueprints</CenteredIntro>
      <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        {problem ? <Notice tone="bad">{problem}</Notice> : null}
        <TextField
          label="Email"
          type="email"
          name="email"
          autoComplete="email"
          required
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <TextField
          label="Password"
          type="password"
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        <Button type="submit" variant="primary" size="large" pending={pending}>
          Sign in
        </Button>
      </form>
      <p className="mt-6 text-ink-soft">
        New to Plinth?{" "}
        <Link
          href={withNext("/sign-up", next)}
          className="font-medium text-ink underline decoration-line-strong underline-offset-4 hover:decoration-ink"
        >
          Create an account
        </Link>
      </p>
    </>
  );
}
