// Promotes a blueprint. In: the environments, and the environment of the open page. Out: the changes in the target, the changes that it
// would lose, and a proposal there, which is reviewed like any other. Nothing is deployed here.
"use client";
import type { EnvironmentSummary } from "@plinth/control/router";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ArrowRight } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { SelectField } from "../../ui/field.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { ComparisonView } from "./comparison-view.tsx";
import { defaultPair } from "./default-pair.ts";

interface PromoteCardProps {
  projectId: string;
  environments: readonly EnvironmentSummary[];
  mayChange: boolean;
}

export function PromoteCard({ projectId, environments, mayChange }: PromoteCardProps) {
  const trpc = useTRPC();
  const router = useRouter();
  const queryClient = useQueryClient();
  const [chosen, setChosen] = useState<{ readonly from?: string; readonly to?: string }>({});
  const initial = defaultPair(environments, projectId);
  const known = (id: string | undefined): string | undefined => environments.find((one) => one.id === id)?.id;
  const from = known(chosen.from) ?? initial.from;
  const to = known(chosen.to) ?? initial.to;
  const isPair = from !== to;
  const comparison = useQuery(
    trpc.environments.compare.queryOptions({ projectId: to, fromProjectId: from }, { enabled: isPair }),
  );
  const promote = useMutation(
    trpc.environments.promote.mutationOptions({
      onSuccess: async (proposal) => {
        await queryClient.invalidateQueries({ queryKey: trpc.proposals.pathKey() });
        router.push(`/projects/${to}/changes/${proposal.id}`);
      },
    }),
  );
  const choose = (side: "from" | "to") => (event: { target: { value: string } }) => {
    setChosen({ from, to, [side]: event.target.value });
    promote.reset();
  };
  const options = environments.map(({ id, name }) => (
    <option key={id} value={id}>
      {name}
    </option>
  ));
  return (
    <Card
      title="Promote"
      description="Proposes the live blueprint of one environment as a change in another, where you review it."
    >
      <div className="flex flex-col gap-4">
        <div className="grid items-end gap-3 sm:grid-cols-[1fr_auto_1fr]">
          <SelectField label="From" value={from} onChange={choose("from")}>
            {options}
          </SelectField>
          <ArrowRight className="mx-auto mb-2.5 size-4 text-ink-faint max-sm:hidden" aria-hidden />
          <SelectField label="To" value={to} onChange={choose("to")}>
            {options}
          </SelectField>
        </div>
        {isPair ? null : <p className="text-ink-soft">Choose two environments to compare.</p>}
        {isPair && comparison.isPending ? <SkeletonRows rows={2} /> : null}
        {comparison.error ? (
          <QueryError
            error={comparison.error}
            what="The environments could not be compared"
            onRetry={() => void comparison.refetch()}
          />
        ) : null}
        {promote.error ? <QueryError error={promote.error} what="The change was not proposed" /> : null}
        {isPair && comparison.data ? (
          <ComparisonView
            comparison={comparison.data}
            action={
              mayChange ? (
                <PromoteButton
                  to={comparison.data.to.name}
                  overwrites={["diverged", "behind"].includes(comparison.data.standing)}
                  pending={promote.isPending || promote.isSuccess}
                  onPromote={(overwrite) => promote.mutate({ projectId: to, fromProjectId: from, overwrite })}
                />
              ) : null
            }
          />
        ) : null}
      </div>
    </Card>
  );
}

interface PromoteButtonProps {
  to: string;
  overwrites: boolean;
  pending: boolean;
  onPromote: (overwrite: boolean) => void;
}

function PromoteButton({ to, overwrites, pending, onPromote }: PromoteButtonProps) {
  return (
    <Button variant={overwrites ? "danger" : "primary"} pending={pending} onClick={() => onPromote(overwrites)}>
      {overwrites ? `Review anyway, and remove the changes of ${to}` : `Review in ${to}`}
    </Button>
  );
}
