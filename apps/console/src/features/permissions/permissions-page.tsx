// The permissions of each role for each entity. In: a project's id; optionally an entity in the address. Out: the matrix of the live
// version with filters, and an explanation of the chosen cell.
"use client";
import { useQuery } from "@tanstack/react-query";
import { ShieldCheck } from "lucide-react";
import { useSearchParams } from "next/navigation";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { ExplainDialog } from "./explain-dialog.tsx";
import { type Chosen, PermissionMatrix } from "./permission-matrix.tsx";
import { usePermissions } from "./use-permissions.ts";

export function PermissionsPage({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const project = useQuery(trpc.projects.get.queryOptions({ projectId }));
  const live = Boolean(project.data?.live);
  const permissions = usePermissions(projectId);
  const [role, setRole] = useState("");
  const [search, setSearch] = useState(useSearchParams().get("entity") ?? "");
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const wanted = search.trim().toLowerCase();
  const rows = permissions.data?.rows.filter(({ entity }) => entity.includes(wanted)) ?? [];

  return (
    <>
      <PageHeader
        title="Permissions"
        description="The permissions of each role in the live version. Choose a cell to see why an operation on a record is allowed or denied."
      />
      {project.data && !live ? (
        <EmptyState
          icon={<ShieldCheck />}
          title="No permissions yet"
          action={
            <ButtonLink href={`/projects/${projectId}/blueprint`} variant="primary">
              Open editor
            </ButtonLink>
          }
        >
          Permissions are declared in the blueprint, for each entity. When it is deployed, they are shown here.
        </EmptyState>
      ) : null}
      {live && permissions.isPending ? <SkeletonRows rows={6} className="h-10" /> : null}
      {live && permissions.error ? (
        <QueryError
          error={permissions.error}
          what="The permissions could not be loaded"
          onRetry={() => void permissions.refetch()}
        />
      ) : null}
      {permissions.data ? (
        <>
          <div className="mb-3 flex flex-wrap items-end gap-2">
            <div className="w-full sm:w-64">
              <TextField
                label="Find an entity"
                hideLabel
                type="search"
                placeholder="Find an entity"
                value={search}
                onChange={(event) => setSearch(event.target.value)}
              />
            </div>
            <SelectField label="Role" hideLabel value={role} onChange={(event) => setRole(event.target.value)}>
              <option value="">All roles</option>
              {permissions.data.columns.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </SelectField>
          </div>
          {rows.length === 0 ? (
            <EmptyState icon={<ShieldCheck />} title="No such entity">
              No entity of the live version has a name like that.
            </EmptyState>
          ) : (
            <PermissionMatrix
              rows={rows}
              columns={role === "" ? permissions.data.columns : [role]}
              onChoose={setChosen}
            />
          )}
          {chosen ? (
            <ExplainDialog
              key={`${chosen.row.entity} ${chosen.row.operation} ${chosen.cell.role}`}
              projectId={projectId}
              permissions={permissions.data}
              chosen={chosen}
              onClose={() => setChosen(null)}
            />
          ) : null}
        </>
      ) : null}
    </>
  );
}
