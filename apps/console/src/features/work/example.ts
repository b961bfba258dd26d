// What to write into a blueprint so that something runs in the background, at times, or when somebody asks. In: an entity of the
// project. Out: a few lines of YAML, which a test has the language read.

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
