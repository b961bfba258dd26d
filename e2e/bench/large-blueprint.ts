// A large blueprint with everything that is expensive to check: references, rules that follow them, state machines,
// unique fields. In: the number of entities and fields. Out: its text, always the same.

export interface Size {
  readonly entities: number;
  /** Declared fields of each entity, at least 10. */
  readonly fields: number;
}

export function largeBlueprint({ entities, fields }: Size): string {
  const head =
    "project: large\nmodules: [auth, users, roles, audit_logs]\nroles:\n  support: { inherits: user }\nentities:\n";
  return head + Array.from({ length: entities }, (_, n) => entity(n, entities, fields)).join("");
}

const moreTypes = ["text?", "int = 0", "bool = false", "datetime?", "decimal(10, 2) = 0", "date?", "email?", "json?"];

function entity(n: number, entities: number, fields: number): string {
  const target = `thing_${(n * 7 + 1) % entities}`;
  const own = [
    "title: string",
    "code: string unique",
    "status: enum[draft, active, closed] = draft",
    "quantity: int = 1",
    "price: money(EUR) = 0",
    "owner_id: user_ref = current_user.id",
    `parent_id: ref(${target})?`,
    "starts_at: datetime index?",
    "note: text? internal",
    "tags: list<string>?",
  ].map((line) => line.replace("index?", "index").replace("datetime index", "datetime? index"));
  const more = Array.from(
    { length: Math.max(0, fields - own.length) },
    (_, i) => `extra_${i}: ${moreTypes[i % moreTypes.length]}`,
  );
  return `  thing_${n}:
    unique: [[title, owner_id]]
    fields:
${[...own, ...more].map((line) => `      ${line}`).join("\n")}
    transitions:
      status:
        initial: draft
        open: { from: draft, to: active, roles: [user], when: owner_id == current_user.id }
        close: { from: [draft, active], to: closed, roles: [support] }
    permissions:
      public:
        read: status == active && price > 0
      user:
        create: quantity <= 100
        read: owner_id == current_user.id || parent.owner_id == current_user.id
      owner:
        update: owner_id == current_user.id && status != closed
        delete: owner_id == current_user.id && status == draft
      support:
        read: true
        update:
          allow: status in [draft, active]
          fields: [title, quantity]
      admin: { all: true }
`;
}
