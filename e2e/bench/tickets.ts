// The project that the parts on background work measure with. In: its name, and what it declares of work. Out: a blueprint.

export function ticketsBlueprint(project: string, work = ""): string {
  return `project: ${project}
modules: [auth, users, roles, workers, audit_logs]
entities:
  ticket:
    fields:
      title: string
    permissions:
      admin: { all: true }
  note:
    fields:
      text: string
    permissions:
      admin: { all: true }
${work}`;
}

/** Each ticket starts a run of one step, inside the database: a record of its own. */
export const noteEachTicket = `workflows:
  note:
    on: ticket.created
    steps:
      - record.create: { with: { entity: note, text: seen } }
`;
