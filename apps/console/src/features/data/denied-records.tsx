// Shown instead of records that the blueprint's rules hide from the console. In: the entity. Out: the reason, and what to write in the
// blueprint. A retry would be refused again, so there is none.
"use client";
import type { DataEntity } from "@plinth/control/router";
import { LockKeyhole } from "lucide-react";
import { ButtonLink } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";

interface DeniedRecordsProps {
  projectId: string;
  entity: Pick<DataEntity, "name" | "plural">;
  mayChange: boolean;
}

export function DeniedRecords({ projectId, entity, mayChange }: DeniedRecordsProps) {
  return (
    <EmptyState
      icon={<LockKeyhole />}
      title={`The console can't read ${entity.plural}`}
      action={
        mayChange ? (
          <ButtonLink href={`/projects/${projectId}/blueprint`} variant="primary">
            Open editor
          </ButtonLink>
        ) : null
      }
    >
      It reads records as the role <code className="font-mono text-xs text-ink">admin</code>, and no rule of the
      blueprint lets this role read them. Add{" "}
      <code className="font-mono text-xs text-ink">{"admin: { all: true }"}</code> to the permissions of {entity.name},
      and deploy.
    </EmptyState>
  );
}
