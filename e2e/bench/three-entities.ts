// A blueprint of three entities, to measure many projects. In: a number. Out: a valid text, different for each number.
// Everybody can read its first entity.
export function threeEntities(number: number): string {
  const kind = `kind${number}`;
  return `project: original-${number}
modules: [auth, users, roles, audit_logs]

entities:
  ${kind}_thing:
    fields:
      title: string
      body: text
      status: enum[draft, active, archived] = active
      score: int = 0
      created_by: user_ref? = current_user.id
    permissions:
      public:
        read: status == active
      user:
        read: created_by == current_user.id
        create: true
        update: created_by == current_user.id
      admin:
        all: true
  ${kind}_part:
    fields:
      thing: ref(${kind}_thing)
      name: string
      amount: decimal(12, 2) = 0
      due_on: date?
    permissions:
      user:
        all: true
      admin:
        all: true
  ${kind}_note:
    fields:
      text: text
      pinned: bool = false
      part: ref(${kind}_part)?
      created_by: user_ref = current_user.id
    permissions:
      user:
        all: created_by == current_user.id
      admin:
        all: true
`;
}
