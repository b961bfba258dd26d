// The connections with which a project sends mail. In: the project's id. Out: the connections, with buttons to add, test, replace and
// remove them.
"use client";
import type { MailConnection } from "@plinth/control/router";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { Time } from "../../ui/time.tsx";
import { ConnectionForm } from "./connection-form.tsx";

/** The open form: none, for a new connection, or for the connection that is replaced. */
type Open = null | "new" | MailConnection;

export function ConnectionCard({ projectId, mayAct }: { projectId: string; mayAct: boolean }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [open, setOpen] = useState<Open>(null);
  const connections = useQuery(trpc.mail.connections.queryOptions({ projectId }));
  const onDone = async (): Promise<void> => {
    setOpen(null);
    await queryClient.invalidateQueries({ queryKey: trpc.mail.pathKey() });
  };
  return (
    <Card
      title="Connections"
      description="The project sends mail through them. A connection is tested before it is saved."
      actions={
        mayAct && open === null && connections.data != null ? (
          <Button size="small" onClick={() => setOpen("new")}>
            Add connection
          </Button>
        ) : null
      }
    >
      {connections.error ? <QueryError error={connections.error} what="The connections could not be loaded" /> : null}
      {connections.data?.length === 0 && open === null ? (
        <p className="text-ink-soft">
          None yet. Without a connection, mails are stored here if the operator's mailbox is on, as on your own machine.
          Otherwise they are refused.
        </p>
      ) : null}
      {connections.data === null ? <p className="text-ink-soft">The live version sends no mail.</p> : null}
      {connections.data == null || connections.data.length === 0 ? null : (
        <ul className="flex flex-col gap-3">
          {connections.data.map((connection) => (
            <Row
              key={connection.name}
              projectId={projectId}
              connection={connection}
              mayAct={mayAct}
              onReplace={() => setOpen(connection)}
              onRemoved={onDone}
            />
          ))}
        </ul>
      )}
      {open === null ? null : (
        <ConnectionForm
          key={open === "new" ? "" : open.name}
          projectId={projectId}
          replaced={open === "new" ? null : open}
          onDone={onDone}
          onCancel={() => setOpen(null)}
        />
      )}
    </Card>
  );
}

interface RowProps {
  projectId: string;
  connection: MailConnection;
  mayAct: boolean;
  onReplace: () => void;
  onRemoved: () => Promise<void>;
}

function Row({ projectId, connection, mayAct, onReplace, onRemoved }: RowProps) {
  const trpc = useTRPC();
  const { name, provider, settings, updatedAt } = connection;
  const [isAsking, setAsking] = useState(false);
  const test = useMutation(trpc.mail.testConnection.mutationOptions());
  const remove = useMutation(trpc.mail.removeConnection.mutationOptions({ onSuccess: onRemoved }));
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
      <code className="font-mono text-[0.8125rem]">{name}</code>
      <span className="min-w-0 basis-full text-ink-soft sm:flex-1 sm:basis-0">
        {provider}
        {settings["host"] === undefined ? "" : ` at ${settings["host"]}`}, from {settings["from_address"]}, set{" "}
        <Time at={updatedAt} />
      </span>
      {test.isSuccess ? <Badge tone="good">works</Badge> : null}
      {mayAct ? (
        <span className="flex gap-2">
          <Button size="small" pending={test.isPending} onClick={() => test.mutate({ projectId, name })}>
            Test
          </Button>
          <Button size="small" onClick={onReplace}>
            Replace
          </Button>
          <Button size="small" onClick={() => setAsking(true)}>
            Remove
          </Button>
        </span>
      ) : null}
      {test.error ? (
        <div className="basis-full">
          <QueryError error={test.error} what={`The connection ${name} does not work now`} />
        </div>
      ) : null}
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title={`Remove the connection ${name}?`}
        description="The project no longer sends mail through it. Its password or key is deleted."
        action="Remove"
        mutation={remove}
        onConfirm={() => remove.mutate({ projectId, name })}
      />
    </li>
  );
}
