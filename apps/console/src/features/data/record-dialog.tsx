// One record. In: the record, or null for a new one. Out: all its values in full, and a form to create, change or delete it through the
// project's API on behalf of the person. Only changed fields are sent. If somebody else changed the record since, nothing is written. What is
// written into the form stays until it is saved or cancelled, also if the dialog closes by accident.
"use client";
import type { Entity } from "@plinth/blueprint";
import type { DataRow } from "@plinth/control/router";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Pencil, Trash2 } from "lucide-react";
import { type FormEvent, useState } from "react";
import { usePersonId } from "../../person.ts";
import { useTRPC } from "../../trpc.ts";
import { TypedField } from "../../typed-fields/typed-field.tsx";
import { textOf } from "../../typed-fields/values.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog, DialogActions } from "../../ui/dialog.tsx";
import { fieldErrors } from "../../ui/error-text.ts";
import { Notice } from "../../ui/notice.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { type FormPlace, forgetKept, keepTexts, readKept } from "./kept-texts.ts";
import type { LinkTo } from "./record-cell.tsx";
import { changedValues, fieldsToWrite, type Texts } from "./record-values.ts";
import { RecordValues } from "./record-values-list.tsx";

interface RecordDialogProps {
  projectId: string;
  entity: Entity;
  /** Null for a new record. */
  record: DataRow | null;
  /** False for viewers, and for deleted records. */
  mayChange: boolean;
  linkTo: LinkTo;
  onClose: () => void;
}

export function RecordDialog(props: RecordDialogProps) {
  const personId = usePersonId();
  if (personId === null) return null;
  const { projectId, entity, record } = props;
  const place = { personId, projectId, entity: entity.name, recordId: record === null ? null : String(record.id) };
  return <OpenRecord {...props} place={place} />;
}

function OpenRecord({ projectId, entity, record, mayChange, linkTo, place, onClose }: RecordDialogProps & Placed) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [shown, setShown] = useState(record);
  const [mode, setMode] = useState<"look" | "edit" | "delete">(
    record === null || (mayChange && readKept(place) !== null) ? "edit" : "look",
  );
  const onSuccess = (): Promise<void> => queryClient.invalidateQueries({ queryKey: trpc.data.rows.pathKey() });
  const remove = useMutation(trpc.data.remove.mutationOptions({ onSuccess }));
  const title = shown === null ? `New ${entity.name}` : mode === "edit" ? `Change ${entity.name}` : entity.name;
  if (mode === "edit") {
    return (
      <Dialog
        open
        onOpenChange={onClose}
        title={title}
        description={
          shown === null
            ? "The project's API creates it on your behalf. Its rules, defaults and workflows apply."
            : "Only the fields that you change are written. The project's rules and workflows apply."
        }
        wide
      >
        <RecordForm
          projectId={projectId}
          entity={entity}
          record={shown}
          place={place}
          onSaved={(saved) => {
            if (shown === null) onClose();
            else {
              setShown(saved);
              setMode("look");
            }
          }}
          onCancel={() => (shown === null ? onClose() : setMode("look"))}
        />
      </Dialog>
    );
  }
  const isDeleting = mode === "delete";
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      description={<code className="font-mono text-xs break-all">{String(shown?.id)}</code>}
      wide
    >
      <RecordValues entity={entity} record={shown ?? {}} linkTo={linkTo} />
      {isDeleting ? (
        <div className="mt-4">
          <Notice tone="warn" title={`Delete this ${entity.name}?`}>
            {entity.softDelete
              ? "The app no longer shows it. You can restore it here."
              : "It is erased at once and can't be restored. Records that belong to it are deleted too, where the blueprint says so."}
          </Notice>
        </div>
      ) : null}
      {remove.error ? (
        <div className="mt-4">
          <QueryError error={remove.error} what="The record was not deleted" />
        </div>
      ) : null}
      <DialogActions>
        {isDeleting ? (
          <>
            <Button onClick={() => setMode("look")}>Cancel</Button>
            <Button
              variant="danger"
              pending={remove.isPending}
              onClick={() =>
                remove.mutate(
                  { projectId, entity: entity.name, recordId: String(shown?.id), version: Number(shown?.version) },
                  { onSuccess: onClose },
                )
              }
            >
              Delete {entity.name}
            </Button>
          </>
        ) : (
          <>
            {mayChange ? (
              <>
                <Button icon={<Trash2 aria-hidden />} onClick={() => setMode("delete")}>
                  Delete
                </Button>
                <Button icon={<Pencil aria-hidden />} onClick={() => setMode("edit")}>
                  Edit
                </Button>
              </>
            ) : null}
            <Button variant="primary" onClick={onClose} data-autofocus>
              Close
            </Button>
          </>
        )}
      </DialogActions>
    </Dialog>
  );
}

interface Placed {
  readonly place: FormPlace;
}

interface RecordFormProps extends Placed {
  projectId: string;
  entity: Entity;
  record: DataRow | null;
  onSaved: (record: DataRow) => void;
  onCancel: () => void;
}

function RecordForm({ projectId, entity, record, place, onSaved, onCancel }: RecordFormProps) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [kept, setKept] = useState(() => readKept(place));
  const [texts, setTexts] = useState<Texts>(kept?.texts ?? {});
  const [wasSent, setWasSent] = useState(false);
  const onSuccess = async (saved: DataRow): Promise<void> => {
    forgetKept(place);
    await queryClient.invalidateQueries({ queryKey: trpc.data.rows.pathKey() });
    onSaved(saved);
  };
  const create = useMutation(trpc.data.create.mutationOptions({ onSuccess }));
  const update = useMutation(trpc.data.update.mutationOptions({ onSuccess }));
  const save = record === null ? create : update;
  const fields = fieldsToWrite(entity, record === null);
  const { values, problems } = changedValues(fields, record, texts);
  const refused = fieldErrors(save.error);
  const version = record === null ? null : Number(record.version);

  function write(changed: Texts): void {
    save.reset();
    setTexts(changed);
    keepTexts(place, { texts: changed, version }, fields);
  }

  function startOver(): void {
    forgetKept(place);
    setKept(null);
    setTexts({});
  }

  function cancel(): void {
    forgetKept(place);
    onCancel();
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    setWasSent(true);
    if (save.isPending || Object.keys(problems).length > 0) return;
    if (record === null) create.mutate({ projectId, entity: entity.name, values });
    else if (Object.keys(values).length === 0) cancel();
    else {
      const recordId = String(record.id);
      update.mutate({ projectId, entity: entity.name, recordId, version: Number(record.version), values });
    }
  }

  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      {kept === null ? null : (
        <Notice
          tone={kept.version === version ? "neutral" : "warn"}
          title="What you wrote before is here again"
          actions={
            <Button size="small" onClick={startOver}>
              Start over
            </Button>
          }
        >
          {kept.version === version
            ? "It isn't saved yet."
            : "It isn't saved yet, and the record was changed since. Compare the values before you save."}
        </Notice>
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        {fields.map((field) => (
          <TypedField
            key={field.name}
            projectId={projectId}
            field={field}
            required={!field.optional && (record !== null || field.default === null) && field.type.kind !== "refs"}
            value={texts[field.name] ?? textOf(record?.[field.name], field.type)}
            problem={refused[field.name] ?? (wasSent || texts[field.name] ? (problems[field.name] ?? null) : null)}
            onChange={(text) => write({ ...texts, [field.name]: text })}
          />
        ))}
      </div>
      {save.error && Object.keys(refused).length === 0 ? (
        <QueryError
          error={save.error}
          what={record === null ? "The record was not created" : "The record was not changed"}
        />
      ) : null}
      <DialogActions>
        <Button onClick={cancel}>Cancel</Button>
        <Button type="submit" variant="primary" pending={save.isPending}>
          {record === null ? `Create ${entity.name}` : "Save"}
        </Button>
      </DialogActions>
    </form>
  );
}
