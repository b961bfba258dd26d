// The form of a connection, built from the connector's manifest. In: a connection to replace, or none. Out: the connection is tested, and
// saved if it works. Secrets are sent once and never read back, so a replacement needs them again.
"use client";
import { connectorManifests } from "@plinth/connectors/manifests";
import type { MailConnection } from "@plinth/control/router";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { errorText } from "../../ui/error-text.ts";
import { SelectField, TextField } from "../../ui/field.tsx";
import { MarkedText } from "../../ui/marked-text.tsx";
import { Notice } from "../../ui/notice.tsx";
import { connectionInput } from "./connection-input.ts";

const STORED_SECRET = "Required again, because the stored value can't be read.";

interface FormProps {
  projectId: string;
  /** Null for a new connection. */
  replaced: MailConnection | null;
  onDone: () => Promise<void>;
  onCancel: () => void;
}

export function ConnectionForm({ projectId, replaced, onDone, onCancel }: FormProps) {
  const trpc = useTRPC();
  const [provider, setProvider] = useState(replaced?.provider ?? "smtp");
  const set = useMutation(trpc.mail.setConnection.mutationOptions({ onSuccess: onDone, gcTime: 0 }));
  const manifest = connectorManifests.get(provider);
  const defaultOf = (field: string, fallback: string | number | null): string | number | undefined =>
    (provider === replaced?.provider ? replaced.settings[field] : undefined) ?? fallback ?? undefined;
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (manifest === undefined) return;
    set.mutate({ projectId, provider, ...connectionInput(manifest, new FormData(event.currentTarget)) });
  };
  return (
    <form
      onSubmit={submit}
      className="mt-4 grid gap-4 border-t pt-4 first:mt-0 first:border-t-0 first:pt-0 sm:grid-cols-2"
      autoComplete="off"
    >
      <TextField
        name="name"
        label="Name"
        hint={<MarkedText text="The name of the integration in the blueprint, or `email` if it declares none." />}
        defaultValue={replaced?.name ?? "email"}
        readOnly={replaced !== null}
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
            hint={<MarkedText text={field.help} />}
            defaultValue={defaultOf(field.name, field.fallback)}
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
            hint={<MarkedText text={field.secret && replaced !== null ? STORED_SECRET : field.help} />}
            type={field.secret ? "password" : field.type.kind === "integer" ? "number" : "text"}
            defaultValue={defaultOf(field.name, field.fallback)}
            required={field.required}
            autoComplete={field.secret ? "new-password" : "off"}
          />
        ),
      )}
      {set.error ? (
        <Notice tone="bad" title="The connection was not saved" className="sm:col-span-2">
          <p>{errorText(set.error)}</p>
        </Notice>
      ) : null}
      <div className="flex gap-2 sm:col-span-2">
        <Button type="submit" variant="primary" pending={set.isPending}>
          Test and save
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}
