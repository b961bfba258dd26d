// For tests: counts how often runs were claimed. In: a cell. Out: a function that returns the claims since then, by
// workflow. A claim's own number says nothing about that, because all runs of a cell share them.
import type { WorkCell } from "./work-cell.ts";

export async function countClaims(work: WorkCell): Promise<() => Promise<Readonly<Record<string, number>>>> {
  await work.sql("CREATE TABLE {schema}.claims (workflow text)");
  await work.sql("GRANT INSERT ON {schema}.claims TO public");
  await work.sql(`CREATE FUNCTION {schema}.note_claim() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO {schema}.claims VALUES (NEW.workflow); RETURN NEW; END $$`);
  await work.sql(`CREATE TRIGGER claims AFTER UPDATE ON {schema}.workers__runs FOR EACH ROW
    WHEN (OLD.fence <> NEW.fence) EXECUTE FUNCTION {schema}.note_claim()`);
  return async () => {
    const rows = await work.sql("SELECT workflow, count(*)::int AS claims FROM {schema}.claims GROUP BY workflow");
    return Object.fromEntries(rows.map(({ workflow, claims }) => [String(workflow), Number(claims)]));
  };
}
