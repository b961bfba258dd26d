// Compares two versions of a blueprint. In: the project's id; the two versions are in the address. Out: the differences of the models and
// of the texts. It changes nothing; going back to a version is a change like any other.
"use client";
import type { Change } from "@plinth/blueprint";
import type { ProposalSummary } from "@plinth/control/router";
import { useQuery } from "@tanstack/react-query";
import { ArrowLeftRight, GitCompareArrows, History } from "lucide-react";
import { usePathname, useRouter, useSearchParams } from "next/navigation";
import { useTRPC, useTRPCClient } from "../../trpc.ts";
import { BackLink } from "../../ui/back-link.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { SelectField } from "../../ui/field.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { ChangeGroups } from "./change-groups.tsx";
import { ClassBadge } from "./class-badge.tsx";
import { firstComparison } from "./first-comparison.ts";
import { countClasses } from "./group-changes.ts";
import { diffTexts } from "./text-diff.ts";
import { TextDiffView } from "./text-diff-view.tsx";
import { useProposeVersion } from "./use-propose-version.ts";

type Version = Pick<ProposalSummary, "number" | "title" | "state" | "versionId">;

export function ComparePage({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const pathname = usePathname();
  const parameters = useSearchParams();
  const project = useQuery(trpc.projects.get.queryOptions({ projectId }));
  const proposals = useQuery(trpc.proposals.list.queryOptions({ projectId }));
  const root = `/projects/${projectId}/changes`;
  const goBack = useProposeVersion(projectId);
  const versions = versionsOf(proposals.data ?? []);
  const live = project.data?.live?.versionId;
  const first = firstComparison(versions, live ?? null);
  const to = parameters.get("to") ?? first.to;
  const from = parameters.get("from") ?? first.from;
  const choose = (one: string, other: string): void =>
    router.replace(`${pathname}?${new URLSearchParams({ from: one, to: other })}`, { scroll: false });
  const ready = project.data !== undefined && proposals.data !== undefined;
  return (
    <>
      <BackLink href={root}>Changes</BackLink>
      <PageHeader
        title="Compare versions"
        description="The differences between two versions of the blueprint."
        actions={
          project.data?.may.write === true && live !== undefined && to !== "" && to !== live ? (
            <Button
              pending={goBack.isPending || goBack.isSuccess}
              onClick={() => goBack.mutate({ projectId, versionId: to })}
              icon={<History aria-hidden />}
            >
              Propose {nameOf(versions, to)} again
            </Button>
          ) : null
        }
      />
      {proposals.error ? (
        <QueryError
          error={proposals.error}
          what="The versions could not be loaded"
          onRetry={() => void proposals.refetch()}
        />
      ) : null}
      {goBack.error ? <QueryError error={goBack.error} what="The version could not be proposed" /> : null}
      {ready && versions.length < 2 ? (
        <EmptyState icon={<GitCompareArrows />} title="There is only one version">
          When you have proposed another text, you can compare the two here.
        </EmptyState>
      ) : null}
      {ready && versions.length >= 2 ? (
        <div className="flex flex-col gap-6">
          <div className="flex flex-wrap items-end gap-2">
            <VersionSelect label="From" versions={versions} value={from} onChange={(value) => choose(value, to)} />
            <Button size="icon" aria-label="Swap the versions" className="size-9" onClick={() => choose(to, from)}>
              <ArrowLeftRight />
            </Button>
            <VersionSelect label="To" versions={versions} value={to} onChange={(value) => choose(from, value)} />
          </div>
          <Difference from={from} to={to} />
        </div>
      ) : null}
    </>
  );
}

interface VersionSelectProps {
  label: string;
  versions: readonly Version[];
  value: string;
  onChange: (versionId: string) => void;
}

function VersionSelect({ label, versions, value, onChange }: VersionSelectProps) {
  return (
    <div className="min-w-0 flex-1 basis-60">
      <SelectField label={label} value={value} onChange={(event) => onChange(event.target.value)}>
        {versions.map((version) => (
          <option key={version.versionId} value={version.versionId}>
            #{version.number} {version.title}
            {version.state === "live" ? " (live)" : ""}
          </option>
        ))}
      </SelectField>
    </div>
  );
}

/** Null if the present language can't read one of the texts. */
type ModelDiff = readonly Change[] | null;

function Difference({ from, to }: { from: string; to: string }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const compared = useQuery({
    // A version never changes.
    queryKey: [...trpc.blueprints.get.queryKey({ versionId: to }), "compared with", from],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const [before, after] = await Promise.all([
        client.blueprints.get.query({ versionId: from }),
        client.blueprints.get.query({ versionId: to }),
      ]);
      const { checkBlueprint, diffModels } = await import("@plinth/blueprint");
      const [old, now] = [checkBlueprint(before.text).model, checkBlueprint(after.text).model];
      const changes: ModelDiff = old === null || now === null ? null : diffModels(old, now);
      return { text: diffTexts(before.text, after.text), changes };
    },
  });
  if (compared.error) {
    return (
      <QueryError error={compared.error} what="The texts could not be loaded" onRetry={() => void compared.refetch()} />
    );
  }
  if (!compared.data) return <Skeleton className="h-64" />;
  const { text, changes } = compared.data;
  return (
    <>
      {changes === null ? null : (
        <Card
          title="Changes in the model"
          actions={countClasses(changes).map(({ name, count }) => <ClassBadge key={name} of={name} count={count} />)}
          flush
        >
          {changes.length > 0 ? (
            <ChangeGroups changes={changes} />
          ) : (
            <p className="p-4 text-ink-soft">Both versions have the same model.</p>
          )}
        </Card>
      )}
      <Card
        title="Blueprint"
        actions={
          <span className="font-mono text-xs tabular-nums">
            <span className="text-good">+{text.added}</span> <span className="text-bad">-{text.removed}</span>
          </span>
        }
        flush
      >
        {text.hunks.length > 0 ? (
          <TextDiffView diff={text} />
        ) : (
          <p className="p-4 text-ink-soft">Both texts are the same.</p>
        )}
      </Card>
    </>
  );
}

/** A text can be proposed several times: it gets the name of the live change, otherwise of the latest. */
function versionsOf(proposals: readonly ProposalSummary[]): readonly Version[] {
  const found = new Map<string, Version>();
  for (const proposal of proposals) {
    if (!found.has(proposal.versionId) || proposal.state === "live") found.set(proposal.versionId, proposal);
  }
  return [...found.values()];
}

function nameOf(versions: readonly Version[], versionId: string): string {
  const number = versions.find((version) => version.versionId === versionId)?.number;
  return number === undefined ? "it" : `#${number}`;
}
