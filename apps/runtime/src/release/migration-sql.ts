// Prepares the SQL of a plan. In: a template and the project. Out: text, and the values that it takes. It never puts a
// value into the text.
import { fillTemplate, type MigrationStep, type ProjectId, type SqlTemplate } from "@plinth/bundle";
import { quoteIdentifier, tenantNames } from "@plinth/postgres";

export interface BatchPlace {
  /** The end of the last batch; null at first. */
  readonly after: string | null;
  readonly limit: number;
}

export interface BatchSql {
  readonly text: string;
  readonly values: readonly (string | number | null)[];
}

/** @param schema Another schema instead of the project's own, for a rehearsal. */
export function stepSql(template: SqlTemplate, projectId: ProjectId, schema?: string): string {
  const names = holesOf(projectId, schema);
  return fillTemplate(template, (hole) => names[hole]);
}

export function batchSql(template: SqlTemplate, projectId: ProjectId, place: BatchPlace, schema?: string): BatchSql {
  const names = holesOf(projectId, schema);
  const values: (string | number | null)[] = [];
  const numbers = new Map<string, number>();
  // Numbered in the order of use, because Postgres can't type a parameter that isn't used.
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

/** The effect of a step without its name: the same in the plan of a corrected release. */
export function essenceOf(step: MigrationStep): object {
  const { id: _id, summary: _summary, undo: _undo, ...essence } = step;
  return essence;
}
