// A preview of the live version's mail templates. In: the project's id. Out: a template with values, in a language, as a reader would get it.
"use client";
import type { MailTemplate } from "@plinth/control/router";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { LayoutTemplate } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { MailContent } from "./mail-content.tsx";
import { shownValue, typedValues } from "./template-values.ts";

export function TemplatePreview({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const templates = useQuery(trpc.mail.templates.queryOptions({ projectId }));
  const [chosen, setChosen] = useState<string | null>(null);
  if (templates.error) return <QueryError error={templates.error} what="The templates could not be loaded" />;
  if (templates.isPending) return <SkeletonRows rows={3} className="h-12" />;
  const template = templates.data?.find(({ name }) => name === chosen) ?? templates.data?.[0];
  if (template === undefined)
    return (
      <EmptyState
        icon={<LayoutTemplate />}
        title="No template yet"
        action={
          <ButtonLink href={`/projects/${projectId}/blueprint`} variant="primary">
            Open editor
          </ButtonLink>
        }
      >
        <p>
          The section <code className="font-mono text-xs">emails</code> of a blueprint declares templates: a subject and
          a body in Markdown, with variables and translations.
        </p>
      </EmptyState>
    );
  return (
    <Card title="Templates" description="A preview of the live version's mails. Nothing is sent." flush>
      <div className="px-4 pt-4">
        <SelectField
          label="Template"
          hint={template.help ?? undefined}
          value={template.name}
          onChange={(event) => setChosen(event.target.value)}
        >
          {templates.data?.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </SelectField>
      </div>
      <Shown key={template.name} projectId={projectId} template={template} />
    </Card>
  );
}

function Shown({ projectId, template }: { projectId: string; template: MailTemplate }) {
  const trpc = useTRPC();
  const { name, example, languages } = template;
  const [language, setLanguage] = useState(template.language);
  const [values, setValues] = useState(example);
  const preview = useQuery(
    trpc.mail.preview.queryOptions(
      { projectId, template: name, language, values },
      { placeholderData: keepPreviousData, retry: false },
    ),
  );
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const typed = Object.keys(example).map((variable) => [variable, String(form.get(variable) ?? "")]);
    setValues(typedValues(example, Object.fromEntries(typed)));
  };
  return (
    <>
      <form onSubmit={submit} className="grid gap-4 p-4 sm:grid-cols-2 lg:grid-cols-3">
        <SelectField label="Language" value={language} onChange={(event) => setLanguage(event.target.value)}>
          {languages.map((tag) => (
            <option key={tag}>{tag}</option>
          ))}
        </SelectField>
        {Object.entries(example).map(([variable, value]) => (
          <TextField
            key={variable}
            name={variable}
            label={variable}
            defaultValue={shownValue(value)}
            autoComplete="off"
          />
        ))}
        {Object.keys(example).length === 0 ? null : (
          <div className="flex items-end">
            <Button type="submit" pending={preview.isFetching}>
              Preview with these values
            </Button>
          </div>
        )}
      </form>
      {preview.error ? (
        <div className="px-4 pb-4">
          <QueryError error={preview.error} what="The template can't be rendered with these values" />
        </div>
      ) : null}
      {preview.isPending ? <SkeletonRows rows={1} className="h-80" /> : null}
      {preview.data && !preview.error ? (
        <>
          <p className="px-4 pb-3 font-medium">{preview.data.subject}</p>
          <MailContent html={preview.data.html} text={preview.data.text} />
        </>
      ) : null}
    </>
  );
}
