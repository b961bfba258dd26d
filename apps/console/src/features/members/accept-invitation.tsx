// The page of an invitation. In: the token of the link, and the session if there is one. Out: the offer (who invites, the organization, the
// role and the projects) before anything is accepted; then the membership.
"use client";
import type { Me, OpenInvitation } from "@plinth/control/router";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useStoredFragment } from "../../stored-fragment.ts";
import { useTRPC, useTRPCClient } from "../../trpc.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { CenteredIntro } from "../../ui/centered-page.tsx";
import { errorCode, errorText } from "../../ui/error-text.ts";
import { Notice } from "../../ui/notice.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { signOut } from "../account/auth-client.ts";
import { withNext } from "../account/next-path.ts";
import { SignInFirst } from "../account/sign-in-first.tsx";
import { roleName, roleWords } from "./access-words.ts";

const PAGE = "/invitation";

export function AcceptInvitation() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const { code: token, forget } = useStoredFragment("plinth.invitation");
  const me = useQuery(trpc.me.get.queryOptions());
  const invitation = useQuery({
    queryKey: ["invitation", token],
    queryFn: () => client.invitations.open.mutate({ token: token ?? "" }),
    enabled: Boolean(token) && me.data !== undefined,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const signedOut = errorCode(me.error) === "UNAUTHORIZED";

  if (token === null)
    return <NotOpen text="This address has no invitation. Open the complete link that you received." />;
  if (signedOut) {
    return (
      <SignInFirst title="You are invited" page={PAGE}>
        Sign in to see the invitation. You decide afterwards whether to accept it.
      </SignInFirst>
    );
  }
  const problem = me.error ?? invitation.error;
  if (problem && ["NOT_FOUND", "BAD_REQUEST"].includes(errorCode(problem) ?? ""))
    return <NotOpen text={errorText(problem)} />;
  if (problem) {
    const retry = (): void => void (me.error ? me.refetch() : invitation.refetch());
    return <QueryError error={problem} what="The invitation could not be loaded" onRetry={retry} />;
  }
  if (!me.data || !invitation.data || !token) return <SkeletonRows rows={3} />;
  return <Offer me={me.data} invitation={invitation.data} token={token} onDone={forget} />;
}

interface OfferProps {
  me: Me;
  invitation: OpenInvitation;
  token: string;
  onDone: () => void;
}

function Offer({ me, invitation, token, onDone }: OfferProps) {
  const trpc = useTRPC();
  const router = useRouter();
  const queryClient = useQueryClient();
  const accept = useMutation(
    trpc.invitations.accept.mutationOptions({
      onSuccess: () => {
        onDone();
        queryClient.clear();
        router.replace("/projects");
      },
    }),
  );
  const { organization, invitedBy, role, scope, email, isMember, isForCaller } = invitation;
  const mayAccept = isForCaller && !isMember && !["NOT_FOUND", "CONFLICT"].includes(errorCode(accept.error) ?? "");

  async function signInAsAnother(): Promise<void> {
    if ((await signOut()) === null) location.assign(withNext("/sign-in", PAGE));
  }

  return (
    <>
      <CenteredIntro title={`Join ${organization.name}`}>
        {invitedBy.name} ({invitedBy.email}) invites you to this organization. Only accept an invitation that you
        expected.
      </CenteredIntro>
      <dl className="divide-y rounded-lg border bg-surface shadow-card">
        <div className="px-4 py-3">
          <dt className="text-[0.8125rem] text-ink-soft">Projects that you can access</dt>
          <dd className="mt-0.5 font-medium">
            {scope.kind === "organization" ? (
              "All projects of the organization, including future ones"
            ) : (
              <ul aria-label="Projects">
                {scope.projects.map(({ id, slug }) => (
                  <li key={id} className="break-words">
                    {slug}
                  </li>
                ))}
              </ul>
            )}
          </dd>
        </div>
        <div className="px-4 py-3">
          <dt className="text-[0.8125rem] text-ink-soft">Your role</dt>
          <dd className="mt-0.5">
            <span className="font-medium">{roleName(role)}</span>
            <span className="block text-[0.8125rem] text-ink-soft">{roleWords(role, scope.kind)}</span>
          </dd>
        </div>
        <div className="px-4 py-3">
          <dt className="text-[0.8125rem] text-ink-soft">{isForCaller ? "You join as" : "You are signed in as"}</dt>
          <dd className="mt-0.5 font-medium break-words">{me.person.email}</dd>
        </div>
      </dl>
      {isForCaller || isMember ? null : (
        <Notice
          tone="warn"
          className="mt-4"
          title={`The invitation is for ${email}`}
          actions={
            <Button size="small" onClick={() => void signInAsAnother()}>
              Use another account
            </Button>
          }
        >
          Sign in with an account of this address, or create one. You can also change the address of this account, under
          Account.
        </Notice>
      )}
      {accept.error ? (
        <div className="mt-4">
          <QueryError error={accept.error} what="You have not joined" />
        </div>
      ) : null}
      {isMember ? (
        <Notice tone="neutral" className="mt-4" title="You are already a member">
          The invitation doesn't change your access. An admin can change it on the page of the organization.
        </Notice>
      ) : null}
      <div className="mt-6 flex flex-wrap gap-2">
        {mayAccept ? (
          <Button variant="primary" size="large" pending={accept.isPending} onClick={() => accept.mutate({ token })}>
            Accept invitation
          </Button>
        ) : null}
        <ButtonLink href="/projects" size="large">
          {mayAccept ? "Not now" : "Go to projects"}
        </ButtonLink>
      </div>
    </>
  );
}

function NotOpen({ text }: { text: string }) {
  return (
    <>
      <CenteredIntro title="No open invitation">{text}</CenteredIntro>
      <ButtonLink href="/projects" size="large">
        Go to projects
      </ButtonLink>
    </>
  );
}
