// The project for measurements of background work. In: its name and its background sections. Out: a blueprint.

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

/** Each ticket starts a run with one step inside the database, which creates a record. */
export const noteEachTicket = `workflows:
  note:
    on: ticket.created
    steps:
      - record.create: { with: { entity: note, text: seen } }
`;
