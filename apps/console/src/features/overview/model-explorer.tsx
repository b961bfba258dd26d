// The live model to explore. In: the model. Out: a search over entities and fields, with the results as a list and in a diagram. An entity
// can be chosen in either of them; both then show it.
"use client";
import type { Model } from "@plinth/blueprint";
import { type FormEvent, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { cn } from "../../ui/cn.ts";
import { TextField } from "../../ui/field.tsx";
import { entityFacts, searchEntities } from "./entity-facts.ts";
import { EntityList } from "./entity-list.tsx";
import { EntityPanel } from "./entity-panel.tsx";
import { ModelDiagram } from "./model-diagram.tsx";
import { layoutModel } from "./model-layout.ts";
import { modelNodes } from "./model-nodes.ts";

/** A layout up to this height gets a lower frame. */
const lowPixels = 340;

export function ModelExplorer({ projectId, model }: { projectId: string; model: Model }) {
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState<string | null>(null);
  const [fromDiagram, setFromDiagram] = useState(false);
  const closed = useRef<string | null>(null);
  const side = useRef<HTMLDivElement>(null);
  const layout = useMemo(() => layoutModel(modelNodes(model)), [model]);
  const all = useMemo(() => entityFacts(model, layout), [model, layout]);
  const search = useDeferredValue(typed.trim().toLowerCase());
  const entities = useMemo(() => searchEntities(all, search), [all, search]);
  const found = useMemo(() => (search === "" ? null : new Set(entities.map(({ name }) => name))), [entities, search]);
  const open = all.find(({ name }) => name === chosen) ?? null;
  const best = found === null ? null : (entities[0]?.name ?? null);

  useEffect(() => {
    if (chosen !== null) side.current?.scrollTo(0, 0);
  }, [chosen]);

  // Back in the list, the row of the closed entity gets the focus.
  useEffect(() => {
    if (chosen !== null || closed.current === null) return;
    side.current?.querySelector<HTMLElement>(`[data-entity-row="${closed.current}"]`)?.focus();
    closed.current = null;
  }, [chosen]);

  function choose(name: string): void {
    setChosen(name);
    setFromDiagram(false);
  }

  /** The focus remains in the diagram, which can be zoomed and moved further. */
  function chooseInDiagram(name: string | null): void {
    setChosen(name);
    setFromDiagram(true);
    if (name !== null) side.current?.scrollIntoView({ block: "nearest" });
  }

  function close(): void {
    closed.current = chosen;
    setChosen(null);
  }

  function openBest(event: FormEvent): void {
    event.preventDefault();
    if (entities[0]) choose(entities[0].name);
  }

  return (
    <div
      className={cn(
        "grid lg:grid-cols-[22rem_minmax(0,1fr)] lg:grid-rows-[minmax(0,1fr)]",
        layout.height <= lowPixels ? "lg:h-96" : "lg:h-[36rem]",
      )}
    >
      <div className="flex min-h-0 min-w-0 flex-col border-b lg:border-r lg:border-b-0">
        <search aria-label="Entities" className="border-b px-4 py-3">
          <form className="flex items-center gap-3" onSubmit={openBest}>
            <div className="min-w-0 flex-1">
              <TextField
                label="Search entities and fields"
                hideLabel
                type="search"
                placeholder="Search entities and fields"
                className="h-8 text-[0.8125rem]"
                maxLength={120}
                value={typed}
                onChange={(event) => {
                  setTyped(event.target.value);
                  setChosen(null);
                }}
              />
            </div>
            <span role="status" className="shrink-0 text-xs text-ink-soft tabular-nums">
              {found === null ? all.length : `${entities.length} of ${all.length}`}
              <span className="sr-only"> entities</span>
            </span>
          </form>
        </search>
        <div ref={side} className="relative max-h-80 min-h-0 flex-1 overflow-y-auto lg:max-h-none">
          {open ? (
            <EntityPanel
              projectId={projectId}
              model={model}
              facts={open}
              onChoose={choose}
              onClose={close}
              takesFocus={!fromDiagram}
            />
          ) : (
            <EntityList entities={entities} search={search} onChoose={choose} />
          )}
        </div>
      </div>
      <ModelDiagram layout={layout} found={found} focus={open?.name ?? best} onChoose={chooseInDiagram} />
    </div>
  );
}
