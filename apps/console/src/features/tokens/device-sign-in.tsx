// The approval of a sign-in of the command line. In: its code, from the address or typed, and the session if there is one. Out: the machine
// that wants to sign in, then the decision. Opening the link approves nothing.
"use client";
import type { DeviceRequest } from "@plinth/control/router";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { useStoredFragment } from "../../stored-fragment.ts";
import { useTRPC, useTRPCClient } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { CenteredIntro } from "../../ui/centered-page.tsx";
import { errorCode, errorText } from "../../ui/error-text.ts";
import { TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { SignInFirst } from "../account/sign-in-first.tsx";

export function DeviceSignIn() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const { code, enter, forget } = useStoredFragment("plinth.device-code");
  const me = useQuery(trpc.me.get.queryOptions());
  const request = useQuery({
    queryKey: ["device", code],
    queryFn: () => client.devices.open.mutate({ userCode: code ?? "" }),
    enabled: Boolean(code) && me.data !== undefined,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });

  if (errorCode(me.error) === "UNAUTHORIZED") {
    return (
      <SignInFirst title="Sign in to the command line" page="/device">
        Sign in here first. Then you decide whether to approve the request.
      </SignInFirst>
    );
  }
  if (me.error)
    return <QueryError error={me.error} what="Your account could not be loaded" onRetry={() => void me.refetch()} />;
  if (!me.data || code === undefined) return <SkeletonRows rows={3} />;
  if (code === null || (request.error && errorCode(request.error) === "NOT_FOUND"))
    return <EnterCode problem={request.error ? errorText(request.error) : null} onEnter={enter} />;
  if (request.error) {
    const retry = (): void => void request.refetch();
    return <QueryError error={request.error} what="The request could not be loaded" onRetry={retry} />;
  }
  if (!request.data) return <SkeletonRows rows={3} />;
  return <Decision email={me.data.person.email} request={request.data} onDone={forget} />;
}

interface EnterCodeProps {
  problem: string | null;
  onEnter: (code: string) => void;
}

function EnterCode({ problem, onEnter }: EnterCodeProps) {
  const [typed, setTyped] = useState("");

  function submit(event: FormEvent): void {
    event.preventDefault();
    onEnter(typed.trim());
  }

  return (
    <>
      <CenteredIntro title="Sign in to the command line">
        Enter the code that <code className="font-mono">plinth login</code> shows in your terminal.
      </CenteredIntro>
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <TextField
          label="Code"
          className="font-mono uppercase"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          placeholder="BCDF-GHJK"
          required
          maxLength={40}
          error={problem}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <div>
          <Button type="submit" variant="primary" size="large">
            Continue
          </Button>
        </div>
      </form>
    </>
  );
}

interface DecisionProps {
  email: string;
  request: DeviceRequest;
  onDone: () => void;
}

function Decision({ email, request, onDone }: DecisionProps) {
  const trpc = useTRPC();
  const userCode = request.userCode;
  const approve = useMutation(trpc.devices.approve.mutationOptions({ onSuccess: onDone }));
  const deny = useMutation(trpc.devices.deny.mutationOptions({ onSuccess: onDone }));
  if (approve.data) return <Done title="Signed in" text="Go back to your terminal. You can close this page." />;
  if (deny.data) return <Done title="Denied" text="The command line was not signed in. You can close this page." />;
  const error = approve.error ?? deny.error;
  return (
    <>
      <CenteredIntro title="Sign in to the command line?">
        It will have all rights of {email} until you revoke it under Account.
      </CenteredIntro>
      <dl className="divide-y rounded-lg border bg-surface shadow-card">
        <Fact name="Code">
          <span data-testid="user-code" className="font-mono text-lg tracking-wider">
            {userCode}
          </span>
        </Fact>
        <Fact name="Machine">{request.deviceName}</Fact>
        <Fact name="Requested">
          <Time at={request.createdAt} /> from {request.address}
        </Fact>
      </dl>
      <Notice tone="warn" className="mt-4" title="Did you start this yourself?">
        Approve it only if you have just run plinth login and your terminal shows this code. If you got this link from
        somebody else, deny it.
      </Notice>
      {error ? (
        <div className="mt-4">
          <QueryError error={error} what="The decision was not saved" />
        </div>
      ) : null}
      <div className="mt-6 flex flex-wrap gap-2">
        <Button
          variant="primary"
          size="large"
          pending={approve.isPending}
          disabled={deny.isPending}
          onClick={() => approve.mutate({ userCode })}
        >
          Approve
        </Button>
        <Button
          size="large"
          pending={deny.isPending}
          disabled={approve.isPending}
          onClick={() => deny.mutate({ userCode })}
        >
          Deny
        </Button>
      </div>
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="px-4 py-3">
      <dt className="text-[0.8125rem] text-ink-soft">{name}</dt>
      <dd className="mt-0.5 font-medium break-words">{children}</dd>
    </div>
  );
}

function Done({ title, text }: { title: string; text: string }) {
  return (
    <div role="status">
      <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
      <p className="mt-1 text-ink-soft">{text}</p>
    </div>
  );
}
