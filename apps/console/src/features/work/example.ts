// Examples for empty pages: a workflow, a schedule, an action. In: an entity of the project. Out: a few lines of YAML; tests check that
// they are valid.

export function exampleBlueprint(entity: string): string {
  return `modules: [auth, users, roles, workers, audit_logs]
workflows:
  welcome: { on: ${entity}.created, steps: [audit.write] }`;
}

export const exampleSchedule = `workers:
  tidy: { steps: [audit.write] }
schedules:
  nightly: { cron: "0 2 * * *", timezone: Europe/Berlin, run: tidy }`;

export const exampleAction = `actions:
  send-greeting:
    input: { text: string }
    permissions: { admin: true }
    steps: [audit.write]`;
