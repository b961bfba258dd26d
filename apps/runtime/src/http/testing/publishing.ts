// A small publishing platform: to-one, to-many and many-to-many relations, records and fields that some readers don't see,
// JSON, lists and choices. Only tests import it.
export const publishing = `
project: publishing
modules: [auth, users, roles, audit_logs]

users:
  fields:
    username: string?
  permissions:
    user: { read: true }

entities:
  tag:
    fields:
      name: string unique
      weight: int = 0
    permissions:
      public: { read: weight >= 0 }
      admin: { all: true }

  article:
    fields:
      title: string
      slug: slug(title) unique
      status: enum[draft, published, archived] = draft
      price: decimal(10,2)?
      note: text?
      labels: list<string>?
      moods: enum_set[calm, loud]?
      meta: json?
      place: "object{ city: string, floor: int? }?"
      tags: refs(tag)
      author_id: user_ref = current_user.id
      editor_id: user_ref?
    permissions:
      public:
        read: { allow: status == published, fields: [title, slug, status, price, labels, moods, meta, place, tags, author_id] }
      user:
        read: { allow: status == published, fields: [title, slug, status, price, labels, moods, meta, place, tags, author_id] }
        create: true
      owner:
        read: author_id == current_user.id
        update: author_id == current_user.id
      admin: { all: true }

  comment:
    fields:
      article_id: ref(article) on_delete(cascade)
      body: text
      likes: int = 0
      hidden: bool = false
      author_id: user_ref = current_user.id
    permissions:
      public: { read: hidden == false }
      owner: { read: author_id == current_user.id, create: true }
      admin: { all: true }

  secret:
    fields:
      article_id: ref(article) on_delete(cascade)
      word: string
    permissions:
      admin: { all: true }
`;
