// The sign-in form. In: email and password, then a code if the account has a second factor. Out: a session, and the page from `?next=`.
"use client";
import { useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter, useSearchParams } from "next/navigation";
import { useState } from "react";
import { CurrentPasswordField, EmailField } from "./account-fields.tsx";
import { signIn } from "./auth-client.ts";
import { CodeForm } from "./code-form.tsx";
import { EntryForm } from "./entry-form.tsx";
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

  async function submit(): Promise<void> {
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
    <EntryForm
      title="Sign in"
      intro="Open your projects and their blueprints."
      problem={problem}
      action="Sign in"
      pending={pending}
      onSubmit={() => void submit()}
      other={{ question: "New to Plinth?", link: "Create an account", href: withNext("/sign-up", next) }}
    >
      <EmailField value={email} onChange={setEmail} />
      <CurrentPasswordField label="Password" name="password" value={password} onChange={setPassword} />
      <p className="-mt-2 text-[0.8125rem]">
        <Link
          href="/forgot-password"
          className="text-ink-soft underline decoration-line-strong underline-offset-4 hover:decoration-ink"
        >
          Forgotten password?
        </Link>
      </p>
    </EntryForm>
  );
}
