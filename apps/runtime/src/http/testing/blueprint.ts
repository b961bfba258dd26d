// The blueprint that the tests of the data plane run on: every field type, every kind of rule, every kind of reference.
// Only tests import it.
export const testBlueprint = `
project: test-market
modules: [auth, users, roles, audit_logs]

roles:
  support: { inherits: user }

entities:
  listing:
    fields:
      title: string
      description: text?
      price: int
      featured: bool = false
      status: enum[draft, active, sold] = draft
      code: string? unique
      contact: email?
      opens_at: datetime?
      external: uuid?
      created_by: user_ref? = current_user.id
    permissions:
      public:
        read: status == active
      owner:
        read: created_by == current_user.id
        create: created_by == current_user.id
        update: created_by == current_user.id
        delete: created_by == current_user.id && status != sold
      admin:
        all: true

  inquiry:
    fields:
      listing_id: ref(listing)
      name: string
      email: email
      message: text
    permissions:
      public:
        create: true
      owner:
        read: listing.created_by == current_user.id
      admin:
        all: true

  shipment:
    fields:
      status: enum[draft, purchased, delivered] = draft
      user_id: user_ref = current_user.id
    permissions:
      user:
        read: user_id == current_user.id
        create: true
        update: user_id == current_user.id
      support:
        read: true
        update: old.status == draft && new.status == purchased
      admin:
        all: true

  task:
    fields:
      title: string
      holder: user_ref?
      holder_email: email
    permissions:
      user:
        read: holder_email == current_user.email
        create: holder_email == current_user.email
        update: holder_email == current_user.email
      public:
        read: "'admin' in current_user.roles"

  paper:
    fields:
      text: string?
      holder_id: user_ref = current_user.id
    permissions:
      user:
        read: true
        create: true
        update: true

  draft:
    fields:
      text: string
    permissions:
      owner:
        read: created_by == current_user.id
        create: created_by == current_user.id
      user:
        update: true
        delete: true

  secret_note:
    fields:
      text: text
    permissions:
      admin:
        all: true
`;
