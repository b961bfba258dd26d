// The entities of a model as a list. In: the results of a search. Out: a button for each entity, with its references and a summary of each
// role's access. Pressing it opens the entity.
import { cn } from "../../ui/cn.ts";
import type { EntityFacts } from "./entity-facts.ts";

interface EntityListProps {
  entities: readonly EntityFacts[];
  /** The searched text: matching fields are listed. */
  search: string;
  onChoose: (name: string) => void;
}

export function EntityList({ entities, search, onChoose }: EntityListProps) {
  if (entities.length === 0) {
    return <p className="px-4 py-8 text-center text-ink-soft">No entity or field has a name like that.</p>;
  }
  const conditional = entities.some(({ access }) => access.some(({ operations }) => operations.includes("*")));
  return (
    <>
      <ul aria-label="Entities" className="divide-y">
        {entities.map((facts) => (
          <li key={facts.name}>
            <button
              type="button"
              data-entity-row={facts.name}
              onClick={() => onChoose(facts.name)}
              className="block w-full px-4 py-2.5 text-left -outline-offset-2 hover:bg-hover/60"
            >
              <span className="flex items-baseline justify-between gap-3">
                <span className="truncate font-mono text-[0.8125rem] font-medium" title={facts.name}>
                  {facts.name}
                </span>
                <span className="shrink-0 text-xs text-ink-soft tabular-nums">{fieldCount(facts.fields.length)}</span>
              </span>
              <Line>{facts.refersTo.length > 0 ? `Refers to ${facts.refersTo.join(", ")}` : null}</Line>
              <Line>{facts.access.map(({ role, operations }) => `${role}: ${operations}`).join("; ") || null}</Line>
              <Line className="text-accent-text">{matchingFields(facts, search)}</Line>
            </button>
          </li>
        ))}
      </ul>
      {conditional ? (
        <p className="border-t px-4 py-2 text-xs text-ink-soft">* Under conditions. Open the entity to read them.</p>
      ) : null}
    </>
  );
}

/** An entity of a module can have its own fields alone, which the diagram shows. */
function fieldCount(declared: number): string {
  if (declared === 0) return "built-in fields";
  return declared === 1 ? "1 field" : `${declared} fields`;
}

function Line({ className, children }: { className?: string; children: string | null }) {
  if (children === null) return null;
  return (
    <span title={children} className={cn("block truncate text-xs text-ink-soft", className)}>
      {children}
    </span>
  );
}

/** The fields that match, if the name of the entity doesn't. */
function matchingFields({ name, fields }: EntityFacts, search: string): string | null {
  if (search === "" || name.includes(search)) return null;
  const matching = fields.filter((field) => field.name.includes(search)).map((field) => field.name);
  return matching.length === 0 ? null : `Fields: ${matching.join(", ")}`;
}
