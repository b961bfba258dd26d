// The sign-up form. In: name, email and password. Out: an account with its own organization, signed in.
"use client";
import { useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter, useSearchParams } from "next/navigation";
import { type FormEvent, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { CenteredIntro } from "../../ui/centered-page.tsx";
import { TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { signUp } from "./auth-client.ts";
import { nextPath, withNext } from "./next-path.ts";

export function SignUpForm() {
  const router = useRouter();
  const next = nextPath(useSearchParams().get("next"));
  const queryClient = useQueryClient();
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    setPending(true);
    setProblem(null);
    const refused = await signUp({ name, email, password });
    if (refused === null) {
      queryClient.clear();
      router.replace(next);
      return;
    }
    setProblem(refused);
    setPending(false);
  }

  return (
    <>
      <CenteredIntro title="Create your account">Declare a backend, review what changes, deploy it.</CenteredIntro>
      <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        {problem ? <Notice tone="bad">{problem}</Notice> : null}
        <TextField
          label="Name"
          name="name"
          autoComplete="name"
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
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
          autoComplete="new-password"
          required
          minLength={8}
          maxLength={256}
          hint="At least 8 characters."
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        <Button type="submit" variant="primary" size="large" pending={pending}>
          Create account
        </Button>
      </form>
      <p className="mt-6 text-ink-soft">
        Have an account?{" "}
        <Link
          href={withNext("/sign-in", next)}
          className="font-medium text-ink underline decoration-line-strong underline-offset-4 hover:decoration-ink"
        >
          Sign in
        </Link>
      </p>
    </>
  );
}
