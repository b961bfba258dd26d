// SQL of a plan, ready to run. In: a template and whose schema it is for. Out: text, and which values it takes.
// It never puts a value into the text.
import { fillTemplate, type MigrationStep, type ProjectId, type SqlTemplate } from "@plinth/bundle";
import { quoteIdentifier, tenantNames } from "@plinth/postgres";

export interface BatchPlace {
  /** Where the last batch ended; null at first. */
  readonly after: string | null;
  readonly limit: number;
}

export interface BatchSql {
  readonly text: string;
  readonly values: readonly (string | number | null)[];
}

/** @param schema Another schema than the project's own: a rehearsal's. */
export function stepSql(template: SqlTemplate, projectId: ProjectId, schema?: string): string {
  const names = holesOf(projectId, schema);
  return fillTemplate(template, (hole) => names[hole]);
}

export function batchSql(template: SqlTemplate, projectId: ProjectId, place: BatchPlace, schema?: string): BatchSql {
  const names = holesOf(projectId, schema);
  const values: (string | number | null)[] = [];
  const numbers = new Map<string, number>();
  // Numbered as they are met: Postgres can't tell the type of a parameter that stands nowhere.
  const parameter = (hole: "after" | "limit", type: string): string => {
    const number = numbers.get(hole) ?? values.push(place[hole]);
    numbers.set(hole, number);
    return `$${number}::${type}`;
  };
  const text = fillTemplate(template, (hole) => {
    if (hole === "after") return parameter("after", "text");
    if (hole === "limit") return parameter("limit", "bigint");
    return names[hole];
  });
  return { text, values };
}

function holesOf(projectId: ProjectId, schema?: string): Readonly<Record<string, string>> {
  const names = tenantNames(projectId);
  return {
    schema: quoteIdentifier(schema ?? names.schema),
    owner: quoteIdentifier(names.owner),
    worker: quoteIdentifier(names.worker),
  };
}

/** What a step does, whatever it is called: the same in the plan of a corrected release. */
export function essenceOf(step: MigrationStep): object {
  const { id: _id, summary: _summary, undo: _undo, ...essence } = step;
  return essence;
}
