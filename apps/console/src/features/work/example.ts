// What to write into a blueprint so that something runs in the background. In: an entity of the project. Out: three lines of YAML,
// which a test has the language read.

export function exampleBlueprint(entity: string): string {
  return `modules: [auth, users, roles, workers, audit_logs]
workflows:
  welcome: { on: ${entity}.created, steps: [audit.write] }`;
}
