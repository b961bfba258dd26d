// Creates an endpoint. In: an address and events. Out: the secret of the endpoint, shown once.
"use client";
import type { NewWebhookEndpoint } from "@plinth/control/router";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { SelectField, TextField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { MarkedText } from "../../ui/marked-text.tsx";
import { EndpointSecret } from "./endpoint-secret.tsx";
import { eventNames } from "./event-names.ts";
import { EventsField } from "./events-field.tsx";

interface CreateEndpointDialogProps {
  projectId: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

export function CreateEndpointDialog({ projectId, open, onOpenChange }: CreateEndpointDialogProps) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [url, setUrl] = useState("");
  const [events, setEvents] = useState("*");
  const [signing, setSigning] = useState<NewWebhookEndpoint["signing"] | "">("");
  const create = useMutation(
    trpc.webhooks.create.mutationOptions({
      gcTime: 0,
      onSuccess: () => queryClient.invalidateQueries({ queryKey: trpc.webhooks.pathKey() }),
    }),
  );

  function close(): void {
    onOpenChange(false);
    setUrl("");
    setEvents("*");
    create.reset();
  }

  function submit(): void {
    create.mutate({
      projectId,
      url: url.trim(),
      events: eventNames(events),
      ...(signing === "" ? {} : { signing }),
    });
  }

  return (
    <FormDialog
      open={open}
      onClose={close}
      title="New endpoint"
      description="It receives the data that an admin can read, without internal and secret fields."
      action="Create endpoint"
      pending={create.isPending}
      error={create.error}
      failure="The endpoint was not created"
      onSubmit={submit}
      result={
        create.data
          ? {
              title: "Your new endpoint",
              description:
                "The receiver verifies requests with it. A secret is shown only now and can't be read again.",
              content: <EndpointSecret endpoint={create.data} />,
            }
          : null
      }
    >
      <TextField
        label="Address"
        placeholder="https://shop.example/hooks"
        hint={
          <MarkedText text="An https address. To try a receiver on your own machine, use `plinth webhooks listen`." />
        }
        required
        maxLength={2000}
        value={url}
        onChange={(event) => setUrl(event.target.value)}
      />
      <EventsField value={events} onChange={setEvents} />
      <SelectField
        label="Signed by"
        value={signing}
        onChange={(event) =>
          setSigning(event.target.value === "ed25519" || event.target.value === "hmac" ? event.target.value : "")
        }
      >
        <option value="">as in the blueprint, otherwise HMAC-SHA256</option>
        <option value="hmac">a shared secret (HMAC-SHA256)</option>
        <option value="ed25519">a private key; the receiver has the public key (Ed25519)</option>
      </SelectField>
    </FormDialog>
  );
}
