// The smallest blueprint that most tests need: one entity, `note`, that admins can use. Imported by tests only.

export interface NoteBlueprintOptions {
  readonly project?: string;
  /** YAML that is added at the end: rules of other roles, or sections of the blueprint. */
  readonly rest?: string;
}

/** `fields` is the YAML of further fields, indented by six spaces. */
export function noteBlueprint(fields = "", { project = "notes", rest = "" }: NoteBlueprintOptions = {}): string {
  return `project: ${project}
modules: [auth, users, roles]
entities:
  note:
    fields:
      title: string
${fields}    permissions:
      admin:
        all: true
${rest}`;
}
