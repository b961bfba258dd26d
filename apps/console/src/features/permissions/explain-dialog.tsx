// Explains why an operation on a record is allowed or denied. In: the chosen cell of the matrix. Out: the result for a record and a user,
// with the part of each rule that decided, its values, and its line in the blueprint. Records and users are read with the rights of the
// person, and evaluated in the browser by the evaluator of the blueprint's tests.
"use client";
import type { Somebody } from "@plinth/blueprint";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useDeferredValue, useState } from "react";
import { useTRPC, useTRPCClient } from "../../trpc.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { ANY_USER_ID, Explained } from "./explained.tsx";
import { operationName } from "./operation-name.ts";
import type { Chosen } from "./permission-matrix.tsx";
import { readAround, type Values } from "./read-around.ts";
import type { LivePermissions } from "./use-permissions.ts";

interface ExplainDialogProps {
  projectId: string;
  permissions: LivePermissions;
  chosen: Chosen;
  onClose: () => void;
}

/** A user who has the role and owns no records. */
const ANYBODY = "(role)";

export function ExplainDialog({ projectId, permissions, chosen, onClose }: ExplainDialogProps) {
  const { entity, operation } = chosen.row;
  const { role } = chosen.cell;
  const trpc = useTRPC();
  const client = useTRPCClient();
  const needsRecord = operation !== "create";
  const records = useQuery(
    trpc.data.rows.queryOptions({ projectId, entity, limit: 25, sort: "-created_at" }, { enabled: needsRecord }),
  );
  const [search, setSearch] = useState("");
  const wanted = useDeferredValue(search.trim());
  const users = useQuery(
    trpc.users.list.queryOptions({ projectId, limit: 50, ...(wanted === "" ? {} : { search: wanted }) }),
  );
  const [recordId, setRecordId] = useState("");
  const [userId, setUserId] = useState(ANYBODY);
  const explain = useMutation({
    mutationFn: async () => {
      const rowsOf = async (of: string, field: string, value: string): Promise<readonly Values[]> => {
        const page = await client.data.rows.query({ projectId, entity: of, limit: 100, filters: { [field]: value } });
        return page.data as readonly Values[];
      };
      const who = userId === ANYBODY ? ofRole(role) : await userOf(userId);
      const record = needsRecord ? ((await rowsOf(entity, "id", recordId.trim()))[0] ?? null) : null;
      if (needsRecord && record === null) throw new Error("There is no such record, or you can't read it.");
      const around =
        record === null ? { others: [], isCut: false } : await readAround(permissions.model, entity, record, rowsOf);
      const { explainRecord } = await import("@plinth/blueprint");
      const question = {
        who,
        operation,
        entity,
        record,
        input: {},
        others: around.others,
        now: new Date().toISOString(),
      };
      return { ...explainRecord(permissions, question), isCut: around.isCut, read: around.others.length };
    },
  });

  async function userOf(id: string): Promise<Somebody> {
    const [detail, values] = await Promise.all([
      client.users.get.query({ projectId, userId: id }),
      client.users.record.query({ projectId, userId: id }),
    ]);
    return {
      id,
      email: detail.email,
      roles: detail.roles,
      values: values as Values,
      organizations: (detail.organizations ?? []).map((one) => ({ organization: one.id, role: one.role })),
    };
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    explain.mutate();
  }

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`${operationName(operation)} ${entity} as ${role}`}
      description={<Rules chosen={chosen} />}
    >
      <form className="flex flex-col gap-4" onSubmit={submit}>
        {needsRecord ? (
          <>
            <SelectField
              label="Record"
              value={records.data?.data.some(({ id }) => id === recordId) ? recordId : ""}
              onChange={(event) => {
                setRecordId(event.target.value);
                explain.reset();
              }}
            >
              <option value="">{records.isPending ? "Loading records" : "Choose one of the newest records"}</option>
              {records.data?.data.map((record) => (
                <option key={String(record["id"])} value={String(record["id"])}>
                  {labelOf(record)}
                </option>
              ))}
            </SelectField>
            <TextField
              label="Or its id"
              required
              className="font-mono"
              autoComplete="off"
              spellCheck={false}
              pattern="[0-9a-fA-F\-]{36}"
              value={recordId}
              onChange={(event) => {
                setRecordId(event.target.value);
                explain.reset();
              }}
            />
          </>
        ) : null}
        {(users.data?.users.length ?? 0) > 10 || search !== "" ? (
          <TextField
            label="Find a user"
            type="search"
            placeholder="Part of an email or a name"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        ) : null}
        <SelectField
          label="Caller"
          value={userId}
          onChange={(event) => {
            setUserId(event.target.value);
            explain.reset();
          }}
        >
          <option value={ANYBODY}>
            {role === "public" ? "A caller who is not signed in (public)" : `Any user with the role ${role}`}
          </option>
          {users.data?.users.map(({ id, email, roles }) => (
            <option key={id} value={id}>
              {email} ({roles.join(", ") || "user"})
            </option>
          ))}
        </SelectField>
        {explain.error ? <Failed error={explain.error} /> : null}
        {explain.data ? <Explained outcome={explain.data} lines={permissions.lines} projectId={projectId} /> : null}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" variant="primary" pending={explain.isPending}>
            Explain
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Failed({ error }: { error: Error }) {
  return error.message.startsWith("There is no such record") ? (
    <p role="alert" className="text-[0.8125rem] text-bad">
      {error.message}
    </p>
  ) : (
    <QueryError error={error} what="The explanation failed" />
  );
}

function Rules({ chosen: { cell } }: { chosen: Chosen }) {
  if (cell.grants.length === 0) return <p>No permission grants it. An operation without a permission is denied.</p>;
  return (
    <ul className="flex flex-col gap-1.5">
      {cell.grants.map(({ role, rule, always, fields }) => (
        <li key={`${role} ${rule}`} className="min-w-0">
          <Badge>{role}</Badge>{" "}
          <code className="font-mono text-xs break-words text-ink">{always ? "always" : rule}</code>
          {fields === null ? null : <span className="text-xs"> (fields: {fields.join(", ")})</span>}
        </li>
      ))}
    </ul>
  );
}

function ofRole(role: string): Somebody {
  if (role === "public") return null;
  return { id: ANY_USER_ID, email: "somebody@example.com", roles: [role], values: {}, organizations: [] };
}

/** The first text of a record, and a part of its id. */
function labelOf(record: Readonly<Record<string, unknown>>): string {
  const text = Object.entries(record).find(
    ([name, value]) => name !== "id" && typeof value === "string" && value !== "",
  );
  const id = String(record["id"]);
  return text === undefined ? id : `${String(text[1]).slice(0, 40)} (${id.slice(-6)})`;
}
