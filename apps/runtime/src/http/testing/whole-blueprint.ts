// The blueprint that the tests of the whole language's serving run on: values, grants, states, references, organizations.
// In: nothing. Out: text. Only tests import it.
export const wholeBlueprint = `
project: whole-desk
modules: [auth, users, roles, organizations, audit_logs]

users:
  fields:
    nickname: string?
    phone: string? pii
    hidden_note: string? internal

roles:
  support: { inherits: user }
  reader: { inherits: user }
  editor: { inherits: user }

entities:
  sample:
    fields:
      title: string
      handle: slug(title) unique
      number: sequence(S-)
      amount: int?
      big: bigint?
      ratio: float?
      price: decimal(10,2)?
      cost: money(EUR)?
      share: percent?
      day: date?
      at: time?
      moment: datetime?
      span: duration?
      flag: bool = false
      kinds: enum_set[a, b, c]?
      data: json?
      words: list<string>?
      numbers: list<int>?
      place: point?
      token: secret?
      inner: string? internal
      phone: string? pii
      code: string? immutable
      stamp: string? readonly
      doubled: computed(amount * 2)
      tags: refs(tag)
      likes: refs(shelf) pii
    permissions:
      user: { all: true }
      admin: { all: true }

  tag:
    soft_delete: true
    fields:
      name: string unique
      secret_tag: bool = false
    permissions:
      user:
        read: "!secret_tag"
        create: true
        update: true
        delete: true
      admin: { all: true }

  paper:
    fields:
      title: string
      body: text?
      salary: int?
      grade: int?
      reviewed_by: user_ref?
      author_id: user_ref = current_user.id
    permissions:
      public:
        read: { allow: true, fields: [title, created_at], limit: 5 }
      owner:
        read: author_id == current_user.id
        create: { allow: author_id == current_user.id, fields: [title, body] }
        update: { allow: author_id == current_user.id, fields: [title, body] }
        delete: author_id == current_user.id
      editor:
        read: { allow: true, fields: [title, body, grade], limit: 30 }
        update: { allow: true, fields: [grade], set: { reviewed_by: current_user.id } }
      admin: { all: true }

  ticket:
    fields:
      title: string
      status: enum[draft, open, solved, closed] = draft
      answer: text?
      owner_id: user_ref = current_user.id
    transitions:
      status:
        initial: draft
        submit: { from: draft, to: open, roles: [owner], when: owner_id == current_user.id }
        solve: { from: open, to: solved, roles: [support], require: [answer] }
        close: { from: [open, solved], to: closed, roles: [support, admin] }
    permissions:
      owner:
        read: owner_id == current_user.id
        create: true
        update: owner_id == current_user.id
      support:
        read: true
        update: true
      admin: { all: true }

  folder:
    soft_delete: true
    fields:
      name: string unique
      parent_id: ref(folder)? on_delete(cascade)
    permissions:
      user: { all: true }
      admin: { all: true }

  note:
    soft_delete: true
    fields:
      text: string
      folder_id: ref(folder) on_delete(cascade)
    permissions:
      user: { all: true }
      admin: { all: true }

  maker:
    fields: { name: string }
    permissions: { user: { all: true } }
  model:
    fields: { maker_id: ref(maker) }
    permissions: { user: { all: true } }
  town:
    fields: { name: string }
    permissions: { user: { all: true } }
  yard:
    soft_delete: true
    fields: { name: string, town_id: "ref(town)? on_delete(cascade)" }
    permissions: { user: { all: true } }
  lot:
    fields: { yard_id: ref(yard) }
    permissions: { user: { all: true } }

  pin:
    fields:
      note_id: ref(note)? on_delete(set_null)
      text: string
    permissions:
      user: { all: true }
      admin: { all: true }

  lock:
    fields:
      folder_id: ref(folder)
    permissions:
      user: { all: true }
      admin: { all: true }

  shelf:
    fields:
      name: string
    permissions:
      user: { all: true }
      admin: { all: true }

  book:
    fields:
      shelf_id: ref(shelf) on_delete(cascade)
      twin_id: ref(book)? on_delete(set_null)
    permissions:
      user: { all: true }
      admin: { all: true }

  page:
    fields:
      book_id: ref(book) on_delete(cascade)
    permissions:
      user: { all: true }
      admin: { all: true }

  job:
    org_scoped: true
    fields:
      title: string unique(org)
    permissions:
      user:
        read: true
        create: true
        update: true
        delete: member(org_id, owner)
      admin: { all: true }

  visit:
    audit: all
    fields:
      place: string
      owner_id: user_ref = current_user.id
    permissions:
      owner: { all: owner_id == current_user.id }
      admin: { all: true }

  caller:
    fields:
      name: string
      seen_from: string?
      kind: string?
    permissions:
      public:
        create: { allow: true, set: { seen_from: request.ip, kind: request.key_kind } }
        read: request.key_kind == "publishable" && created_at <= now
      admin: { all: true }

  memo:
    fields:
      text: string
      handle: slug(text)
      signed_by: user_ref?
    permissions:
      user:
        read: true
        create: { allow: "!has(input.handle)", fields: [text] }
        update: { allow: true, set: { signed_by: current_user.id } }
      editor:
        create: { allow: text == "open", fields: [text, handle] }
      admin: { all: true }

api:
  page_max: 50
  body_max: 64KiB
`;
