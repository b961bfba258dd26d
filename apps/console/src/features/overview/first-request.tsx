// The first request to a project's API. In: the address of the API, the entities, the state that the cell reports. Out: a command to paste,
// and an indicator that turns green when a request has arrived.
"use client";
import type { Entity } from "@plinth/blueprint";
import type { ProjectStatus } from "@plinth/control/router";
import { useState } from "react";
import { curlSnippet, sdkSnippet } from "../../request-snippets.ts";
import { Card } from "../../ui/card.tsx";
import { cn } from "../../ui/cn.ts";
import { CodeBlock } from "../../ui/code-block.tsx";
import { SelectField } from "../../ui/field.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { Time } from "../../ui/time.tsx";

interface FirstRequestProps {
  project: string;
  apiUrl: string;
  entities: readonly Entity[];
  status: ProjectStatus | undefined;
}

export function FirstRequest({ project, apiUrl, entities, status }: FirstRequestProps) {
  const [chosen, setChosen] = useState<string | null>(null);
  const entity = entities.find(({ name }) => name === chosen) ?? entities[0];
  if (!entity) return null;
  const target = { apiUrl, project, entity: entity.name, plural: entity.plural, key: null };
  return (
    <Card title="Call the API" actions={<Indicator status={status} />}>
      <Segmented
        label="Kind of client"
        extra={
          entities.length > 1 ? (
            <div className="w-44">
              <SelectField
                label="Entity"
                hideLabel
                className="h-8 text-[0.8125rem]"
                value={entity.name}
                onChange={(event) => setChosen(event.target.value)}
              >
                {entities.map(({ name }) => (
                  <option key={name}>{name}</option>
                ))}
              </SelectField>
            </div>
          ) : null
        }
        tabs={[
          { value: "curl", label: "curl", content: <CodeBlock code={curlSnippet(target)} label="curl command" /> },
          { value: "sdk", label: "TypeScript", content: <CodeBlock code={sdkSnippet(target)} label="SDK code" /> },
        ]}
      />
      <p className="mt-3 text-[0.8125rem] text-ink-soft">
        <code className="rounded bg-hover px-1 py-0.5 font-mono text-xs text-ink">PLINTH_KEY</code> is a key of this
        project. A secret key can read everything; a publishable key has the rights of the role <em>public</em>.
      </p>
    </Card>
  );
}

function Indicator({ status }: { status: ProjectStatus | undefined }) {
  const seen = status?.firstRequestAt ?? null;
  return (
    <p role="status" className="flex items-center gap-2 text-[0.8125rem] text-ink-soft" data-testid="first-request">
      <span className="relative flex size-2" aria-hidden>
        {seen ? null : <span className="absolute inset-0 animate-ping rounded-full bg-warn opacity-60" />}
        <span className={cn("relative size-2 rounded-full", seen ? "bg-good" : "bg-warn")} />
      </span>
      {seen ? (
        <span>
          <span className="font-medium text-good">Receiving requests</span>
          {status?.lastRequestAt ? (
            <>
              {" "}
              · last <Time at={status.lastRequestAt} />
            </>
          ) : null}
        </span>
      ) : (
        "Waiting for the first request"
      )}
    </p>
  );
}
