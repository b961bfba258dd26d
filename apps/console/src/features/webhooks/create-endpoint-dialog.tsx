// Makes an endpoint. In: an address and the events. Out: the endpoint's secret, shown once; closing forgets it. While it is shown, the
// dialog closes by its button only, so that no stray click loses the secret.
"use client";
import type { NewWebhookEndpoint } from "@plinth/control/router";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { SelectField, TextField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { MarkedText } from "../../ui/marked-text.tsx";
import { SecretOnce } from "./secret-once.tsx";

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
      events: events.split(/[\s,]+/).filter((one) => one !== ""),
      ...(signing === "" ? {} : { signing }),
    });
  }

  return (
    <FormDialog
      open={open}
      onClose={close}
      title="New endpoint"
      description="It is sent what an admin may read, without internal and secret fields."
      action="Make endpoint"
      pending={create.isPending}
      error={create.error}
      failure="The endpoint was not made"
      onSubmit={submit}
      result={
        create.data
          ? {
              title: "Your new endpoint",
              description:
                "The receiver verifies what it is sent with this. A secret is shown this once and can't be read again.",
              content: <SecretOnce endpoint={create.data} />,
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
      <TextField
        label="Events"
        hint="Names, order.* for all of a noun, or * for all; with spaces between them."
        required
        className="font-mono text-xs"
        value={events}
        onChange={(event) => setEvents(event.target.value)}
      />
      <SelectField
        label="Signed by"
        value={signing}
        onChange={(event) =>
          setSigning(event.target.value === "ed25519" || event.target.value === "hmac" ? event.target.value : "")
        }
      >
        <option value="">what the blueprint says; HMAC where it says nothing</option>
        <option value="hmac">a secret that both sides have (HMAC-SHA256)</option>
        <option value="ed25519">a key of which the receiver has the public half (Ed25519)</option>
      </SelectField>
    </FormDialog>
  );
}
