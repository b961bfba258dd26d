// One entity of the live model. In: its facts and the model. Out: its fields, relations and rules, with links to its records, its line in
// the blueprint and its permissions.
"use client";
import type { MatrixRow, Model } from "@plinth/blueprint";
import { ArrowLeft } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Button, ButtonLink } from "../../ui/button.tsx";
import type { EntityFacts } from "./entity-facts.ts";

interface EntityPanelProps {
  projectId: string;
  model: Model;
  facts: EntityFacts;
  onChoose: (name: string) => void;
  onClose: () => void;
  /** Whether the heading takes the focus. */
  takesFocus: boolean;
}

export function EntityPanel({ projectId, model, facts, onChoose, onClose, takesFocus }: EntityPanelProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { name, entity, fields, refersTo, referredBy } = facts;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another entity starts at its heading.
  useEffect(() => {
    if (takesFocus) heading.current?.focus();
  }, [name]);
  const root = `/projects/${projectId}`;
  const at = `?entity=${encodeURIComponent(name)}`;
  return (
    <section
      aria-label={`Entity ${name}`}
      onKeyDown={({ key }) => {
        if (key === "Escape") onClose();
      }}
      className="flex flex-col gap-4 px-4 py-3 text-[0.8125rem]"
    >
      <div>
        <Button size="small" variant="ghost" className="-ml-2" icon={<ArrowLeft aria-hidden />} onClick={onClose}>
          All entities
        </Button>
        <h3 ref={heading} tabIndex={-1} className="mt-1 font-mono text-sm font-medium break-words outline-none">
          {name}
        </h3>
        {entity?.help ? <p className="text-ink-soft">{entity.help}</p> : null}
      </div>
      <p className="flex flex-wrap gap-1.5">
        {entity === null ? null : (
          <ButtonLink size="small" href={`${root}/data${at}`}>
            Data
          </ButtonLink>
        )}
        {name === "user" && entity === null ? (
          <ButtonLink size="small" href={`${root}/users`}>
            Users
          </ButtonLink>
        ) : null}
        {entity === null ? null : (
          <>
            <ButtonLink size="small" href={`${root}/blueprint${at}`}>
              Blueprint
            </ButtonLink>
            <ButtonLink size="small" href={`${root}/permissions${at}`}>
              Permissions
            </ButtonLink>
          </>
        )}
      </p>
      <Part title={fields.length === 1 ? "1 field" : `${fields.length} fields`}>
        <dl className="grid grid-cols-[minmax(0,auto)_minmax(0,1fr)] gap-x-3 gap-y-1 font-mono text-xs">
          {fields.map((field) => (
            <div key={field.name} className="contents">
              <dt className="break-words">{field.name}</dt>
              <dd className="break-words text-ink-soft">{field.type}</dd>
            </div>
          ))}
        </dl>
      </Part>
      <Names title="Refers to" names={refersTo} onChoose={onChoose} />
      <Names title="Referred to by" names={referredBy} onChoose={onChoose} />
      {entity?.stateMachine ? (
        <Part title={`Transitions of ${entity.stateMachine.field}`}>
          <ul className="font-mono text-xs">
            {entity.stateMachine.edges.map((edge) => (
              <li key={edge.name} className="break-words">
                {edge.name}{" "}
                <span className="text-ink-soft">
                  {edge.from.join(", ")} → {edge.to}
                </span>
              </li>
            ))}
          </ul>
        </Part>
      ) : null}
      {entity ? <Access model={model} name={name} /> : null}
      {entity && entity.uniques.length + entity.checks.length > 0 ? (
        <Part title="Every record">
          <ul className="text-xs">
            {entity.uniques.map((unique) => (
              <li key={unique.join()}>
                has a unique <span className="font-mono">{unique.join(", ")}</span>
              </li>
            ))}
            {entity.checks.map((check) => (
              <li key={check.name}>
                passes the check <span className="font-mono">{check.name}</span>
              </li>
            ))}
          </ul>
        </Part>
      ) : null}
    </section>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <h4 className="mb-1 text-xs font-medium text-ink-soft">{title}</h4>
      {children}
    </div>
  );
}

interface NamesProps {
  title: string;
  names: readonly string[];
  onChoose: (name: string) => void;
}

function Names({ title, names, onChoose }: NamesProps) {
  if (names.length === 0) return null;
  return (
    <Part title={title}>
      <ul className="flex flex-wrap gap-1">
        {names.map((name) => (
          <li key={name} className="min-w-0">
            <Button
              size="small"
              title={name}
              className="max-w-full shrink font-mono font-normal"
              onClick={() => onChoose(name)}
            >
              <span className="truncate">{name}</span>
            </Button>
          </li>
        ))}
      </ul>
    </Part>
  );
}

/** The rules of each role, from the matrix of permissions. */
function Access({ model, name }: { model: Model; name: string }) {
  const [rows, setRows] = useState<readonly MatrixRow[]>([]);
  useEffect(() => {
    let isCurrent = true;
    // The package is loaded already, because it has read the model.
    void import("@plinth/blueprint").then(({ matrixOf }) => {
      const entities = model.entities.filter((entity) => entity.name === name);
      if (isCurrent) setRows(matrixOf({ roles: model.roles, entities }));
    });
    return () => {
      isCurrent = false;
    };
  }, [model, name]);
  return (
    <Part title="Access">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 text-xs">
        {rows.map(({ operation, cells }) => (
          <div key={operation} className="contents">
            <dt className="text-ink-soft">{operation.replace("transition:", "")}</dt>
            <dd>
              <ul>
                {cells
                  .filter(({ outcome }) => outcome !== "denied")
                  .map(({ role, outcome, grants }) => (
                    <li key={role} className="break-words">
                      <span className="font-mono">{role}</span>
                      {outcome === "allowed" ? "" : `: ${conditionsOf(grants)}`}
                    </li>
                  ))}
                {cells.every(({ outcome }) => outcome === "denied") ? <li className="text-ink-soft">Nobody</li> : null}
              </ul>
            </dd>
          </div>
        ))}
      </dl>
    </Part>
  );
}

function conditionsOf(grants: MatrixRow["cells"][number]["grants"]): string {
  const words = grants.map(({ always, rule, fields }) =>
    [...(always ? [] : [`if ${rule}`]), ...(fields === null ? [] : [`only ${fields.join(", ")}`])].join(", "),
  );
  return [...new Set(words)].join("; or ");
}
