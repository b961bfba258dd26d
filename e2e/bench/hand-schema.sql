-- The tables of the handwritten targets: the same columns, keys and audit row as ours.
create schema hand;
create table hand.users (id uuid primary key, email text not null unique);
create table hand.articles (
  id uuid primary key,
  title text not null check (char_length(title) <= 255),
  body text not null,
  status text not null default 'draft' check (status in ('draft', 'active', 'archived')),
  score integer not null default 0,
  created_by uuid not null references hand.users,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version integer not null default 1
);
create index on hand.articles (created_by);
create index on hand.articles (created_at, id);
create index on hand.articles (status, created_at, id);
create table hand.topics (
  id uuid primary key,
  name text not null,
  created_by uuid references hand.users,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version integer not null default 1
);
create table hand.posts (
  id uuid primary key,
  topic_id uuid not null references hand.topics,
  title text not null,
  body text not null,
  status text not null default 'draft' check (status in ('draft', 'active', 'archived')),
  created_by uuid not null references hand.users,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version integer not null default 1
);
create index on hand.posts (topic_id, created_at, id);
create table hand.replies (
  id uuid primary key,
  post_id uuid not null references hand.posts,
  body text not null,
  created_by uuid references hand.users,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version integer not null default 1
);
create index on hand.replies (post_id, created_at, id);
create table hand.audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  request_id text not null,
  actor_id text,
  operation text not null,
  entity text not null,
  record_id uuid,
  changes jsonb
);
create index on hand.audit_log (entity, record_id);
