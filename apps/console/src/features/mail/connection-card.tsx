// What a project's mail goes by. In: its id. Out: the connections, and for owners a form that sets one. The form is made from the
// connectors' manifests; what is secret is sent once, and never comes back.
"use client";
import { connectorManifests } from "@plinth/connectors/manifests";
import type { MailConnection } from "@plinth/control/router";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { errorText } from "../../ui/error-text.ts";
import { SelectField, TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { Time } from "../../ui/time.tsx";
import { connectionInput } from "./connection-input.ts";

export function ConnectionCard({ projectId, mayAct }: { projectId: string; mayAct: boolean }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const connections = useQuery(trpc.mail.connections.queryOptions({ projectId }));
  const onSuccess = async (): Promise<void> => {
    setOpen(false);
    await queryClient.invalidateQueries({ queryKey: trpc.mail.pathKey() });
  };
  const remove = useMutation(trpc.mail.removeConnection.mutationOptions({ onSuccess }));
  return (
    <Card
      title="Connections"
      description="What mail is sent by. A connection is tested before it is kept."
      actions={
        mayAct && !isOpen ? (
          <Button size="small" onClick={() => setOpen(true)}>
            Set connection
          </Button>
        ) : null
      }
    >
      {connections.error ? <QueryError error={connections.error} what="The connections could not be loaded" /> : null}
      {remove.error ? <QueryError error={remove.error} what="The connection could not be removed" /> : null}
      {connections.data?.length === 0 ? <p className="text-ink-soft">None yet.</p> : null}
      {connections.data === null ? <p className="text-ink-soft">The live version sends no mail.</p> : null}
      <ul className="flex flex-col gap-2">
        {connections.data?.map((connection) => (
          <Row
            key={connection.name}
            {...connection}
            onRemove={mayAct ? () => remove.mutate({ projectId, name: connection.name }) : null}
          />
        ))}
      </ul>
      {isOpen ? <ConnectionForm projectId={projectId} onDone={onSuccess} onCancel={() => setOpen(false)} /> : null}
    </Card>
  );
}

function Row({ name, provider, settings, updatedAt, onRemove }: MailConnection & { onRemove: (() => void) | null }) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <code className="font-mono text-[0.8125rem]">{name}</code>
      <span className="min-w-0 flex-1 text-ink-soft">
        {provider}, from {settings["from_address"]}, set <Time at={updatedAt} />
      </span>
      {onRemove === null ? null : (
        <Button size="small" onClick={onRemove}>
          Remove
        </Button>
      )}
    </li>
  );
}

interface FormProps {
  projectId: string;
  onDone: () => Promise<void>;
  onCancel: () => void;
}

function ConnectionForm({ projectId, onDone, onCancel }: FormProps) {
  const trpc = useTRPC();
  const [provider, setProvider] = useState("smtp");
  const set = useMutation(trpc.mail.setConnection.mutationOptions({ onSuccess: onDone, gcTime: 0 }));
  const manifest = connectorManifests.get(provider);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (manifest === undefined) return;
    set.mutate({ projectId, provider, ...connectionInput(manifest, new FormData(event.currentTarget)) });
  };
  return (
    <form onSubmit={submit} className="mt-4 flex flex-col gap-4 border-t pt-4" autoComplete="off">
      <TextField
        name="name"
        label="Name"
        hint="As the blueprint's integrations call it."
        defaultValue="email"
        required
      />
      <SelectField label="Provider" value={provider} onChange={(event) => setProvider(event.target.value)}>
        {[...connectorManifests.values()].map((one) => (
          <option key={one.provider} value={one.provider}>
            {one.label}
          </option>
        ))}
      </SelectField>
      {manifest?.fields.map((field) =>
        field.type.kind === "choice" ? (
          <SelectField
            key={`${provider}.${field.name}`}
            name={`settings.${field.name}`}
            label={field.label}
            hint={field.help}
            defaultValue={field.fallback ?? undefined}
          >
            {field.type.of.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </SelectField>
        ) : (
          <TextField
            key={`${provider}.${field.name}`}
            name={`settings.${field.name}`}
            label={field.label}
            hint={field.help}
            type={field.secret ? "password" : field.type.kind === "integer" ? "number" : "text"}
            defaultValue={field.fallback ?? undefined}
            required={field.required}
          />
        ),
      )}
      {set.error ? (
        <Notice tone="bad" title="The connection was not kept">
          <p>{errorText(set.error)}</p>
        </Notice>
      ) : null}
      <div className="flex gap-2">
        <Button type="submit" variant="primary" pending={set.isPending}>
          Test and keep
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}
