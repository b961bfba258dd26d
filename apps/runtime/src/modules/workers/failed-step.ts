// Finds the step at which a run failed. In: the project's schema, and SQL for the run's id. Out: a subquery for lists
// and counts. It never reads an error's text, which may quote values that are masked elsewhere.

/**
 * Columns `path` and `attempts`; no row if the run failed before its first step. List members, handlers and
 * compensations have a "/" in their path: they belong to the step that is found.
 */
export function failedStep(schema: string, runId: string): string {
  return (
    `select _s."path", _s."attempts" from ${schema}."workers__steps" _s where _s."run_id" = ${runId} ` +
    `and _s."status" in ('failed', 'started') and position('/' in _s."path") = 0 order by _s."started_at" desc, _s."path" limit 1`
  );
}
