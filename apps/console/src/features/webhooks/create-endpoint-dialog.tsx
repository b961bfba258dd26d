// Makes an endpoint. In: an address and the events. Out: the endpoint's secret, shown once; closing forgets it. While it is shown, the
// dialog closes by its button only, so that no stray click loses the secret.
"use client";
import type { NewWebhookEndpoint } from "@plinth/control/router";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog, DialogActions } from "../../ui/dialog.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { MarkedText } from "../../ui/marked-text.tsx";
import { QueryError } from "../../ui/query-error.tsx";
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

  function submit(event: FormEvent): void {
    event.preventDefault();
    create.mutate({
      projectId,
      url: url.trim(),
      events: events.split(/[\s,]+/).filter((one) => one !== ""),
      ...(signing === "" ? {} : { signing }),
    });
  }

  if (create.data) {
    return (
      <Dialog
        open={open}
        onOpenChange={close}
        title="Your new endpoint"
        description="The receiver verifies what it is sent with this. A secret is shown this once and can't be read again."
        locked
      >
        <SecretOnce endpoint={create.data} />
        <DialogActions>
          <Button variant="primary" onClick={close}>
            Done
          </Button>
        </DialogActions>
      </Dialog>
    );
  }
  return (
    <Dialog
      open={open}
      onOpenChange={close}
      title="New endpoint"
      description="It is sent what an admin may read, without internal and secret fields."
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        {create.error ? <QueryError error={create.error} what="The endpoint was not made" /> : null}
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
        <DialogActions>
          <Button type="button" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" variant="primary" pending={create.isPending}>
            Make endpoint
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
