// The templates for an empty blueprint. In: the project's name. Out: the text of the chosen template, with that name.
"use client";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";

interface TemplateChoiceProps {
  projectName: string;
  onChoose: (text: string) => void;
}

export function TemplateChoice({ projectName, onChoose }: TemplateChoiceProps) {
  const trpc = useTRPC();
  const templates = useQuery(trpc.blueprints.templates.queryOptions());
  return (
    <Notice
      tone="neutral"
      title="The blueprint is empty"
      actions={templates.data?.map((template) => (
        <Button
          key={template.name}
          size="small"
          onClick={() => onChoose(template.text.replace(/^project:.*$/m, () => `project: ${projectName}`))}
        >
          {template.title}
        </Button>
      ))}
    >
      Start from a template, open a file, or write below.
    </Notice>
  );
}
