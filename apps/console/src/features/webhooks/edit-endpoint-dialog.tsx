// Changes an endpoint: its address, events, payload and description. In: the endpoint. Out: the changed endpoint. Its secret, its deliveries
// and the rights that it reads with stay.
"use client";
import type { WebhookEndpoint } from "@plinth/control/router";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { SelectField, TextField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { eventNames } from "./event-names.ts";
import { EventsField } from "./events-field.tsx";

interface EditEndpointDialogProps {
  projectId: string;
  endpoint: WebhookEndpoint;
  onClose: () => void;
}

export function EditEndpointDialog({ projectId, endpoint, onClose }: EditEndpointDialogProps) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [url, setUrl] = useState(endpoint.url);
  const [events, setEvents] = useState(endpoint.events.join(" "));
  const [description, setDescription] = useState(endpoint.description);
  const [payload, setPayload] = useState(endpoint.payload);
  const update = useMutation(
    trpc.webhooks.update.mutationOptions({
      onSuccess: async () => {
        await queryClient.invalidateQueries({ queryKey: trpc.webhooks.pathKey() });
        onClose();
      },
    }),
  );

  function submit(): void {
    const changed = { url: url.trim(), events: eventNames(events), description: description.trim(), payload };
    update.mutate({ projectId, endpointId: endpoint.id, ...changed });
  }

  return (
    <FormDialog
      onClose={onClose}
      title="Change endpoint"
      description="It applies to deliveries from now on. Pending ones go to the new address, too."
      action="Save"
      pending={update.isPending}
      error={update.error}
      failure="The endpoint was not changed"
      onSubmit={submit}
    >
      <TextField
        label="Address"
        required
        maxLength={2000}
        value={url}
        onChange={(event) => setUrl(event.target.value)}
      />
      <EventsField value={events} onChange={setEvents} />
      <TextField
        label="Description (optional)"
        maxLength={500}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
      <SelectField
        label="Payload"
        value={payload}
        onChange={(event) => setPayload(event.target.value === "thin" ? "thin" : "full")}
      >
        <option value="full">full: the values of the record</option>
        <option value="thin">thin: only its id</option>
      </SelectField>
    </FormDialog>
  );
}
