-- The schema of user-relations, for PostgreSQL 15 and newer.
begin;

create role "user_relations_owner" nologin;
create role "user_relations_worker" nologin;
grant "user_relations_owner" to current_user;
create schema "user_relations" authorization "user_relations_owner";
grant usage on schema "user_relations" to "user_relations_worker";
set local role "user_relations_owner";

-- 001-create-table-users (before, safe): Create the table users.
create table "user_relations"."users" (
  "id" uuid not null,
  "email" text collate "C" not null,
  "name" text collate "C",
  "password_hash" text collate "C",
  "roles" text[] not null default '{}',
  "nickname" text collate "C",
  "address" jsonb,
  "verified" boolean not null default false,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "users__pkey" primary key ("id"),
  constraint "users__email__check" check (char_length("email") <= 254),
  constraint "users__name__check" check (char_length("name") <= 255),
  constraint "users__nickname__check" check (char_length("nickname") <= 255)
);
create unique index "users__email__key" on "user_relations"."users" ("email");
create index "users__created_at__id__idx" on "user_relations"."users" ("created_at", "id");
grant select, insert, update, delete on "user_relations"."users" to "user_relations_worker";

-- 002-create-table-sessions (before, safe): Create the table sessions.
create table "user_relations"."sessions" (
  "id" uuid not null,
  "user_id" uuid not null,
  "family" uuid not null,
  "refresh_hash" text collate "C" not null,
  "parent" uuid,
  "created_at" timestamptz not null default now(),
  "used_at" timestamptz,
  "revoked_at" timestamptz,
  "expires_at" timestamptz not null,
  "user_agent" text collate "C",
  "ip" text collate "C",
  constraint "sessions__pkey" primary key ("id")
);
create unique index "sessions__refresh_hash__key" on "user_relations"."sessions" ("refresh_hash");
create index "sessions__user_id__idx" on "user_relations"."sessions" ("user_id");
create index "sessions__family__idx" on "user_relations"."sessions" ("family");
grant select, insert, update, delete on "user_relations"."sessions" to "user_relations_worker";

-- 003-create-table-audit-log (before, safe): Create the table audit_log.
create table "user_relations"."audit_log" (
  "id" bigint generated always as identity not null,
  "at" timestamptz not null default now(),
  "request_id" text collate "C",
  "actor_kind" text collate "C",
  "actor_id" text collate "C",
  "operation" text collate "C",
  "entity" text collate "C",
  "record_id" uuid,
  "changes" jsonb,
  constraint "audit_log__pkey" primary key ("id")
);
create index "audit_log__entity__record_id__idx" on "user_relations"."audit_log" ("entity", "record_id");
create index "audit_log__request_id__idx" on "user_relations"."audit_log" ("request_id");
grant select, insert on "user_relations"."audit_log" to "user_relations_worker";

-- 004-create-table-idempotency--replies (before, safe): Create the table idempotency__replies.
create table "user_relations"."idempotency__replies" (
  "principal" text collate "C" not null,
  "key" text collate "C" not null,
  "fingerprint" text collate "C" not null,
  "status" integer not null,
  "location" text collate "C",
  "body" text collate "C" not null,
  "created_at" timestamptz not null default now(),
  constraint "idempotency__replies__pkey" primary key ("principal", "key")
);
create index "idempotency__replies__created_at__idx" on "user_relations"."idempotency__replies" ("created_at");
grant select, insert, update, delete on "user_relations"."idempotency__replies" to "user_relations_worker";

-- 005-create-table-follows (before, safe): Create the table follows.
create table "user_relations"."follows" (
  "id" uuid not null,
  "follower_id" uuid not null,
  "followed_id" uuid not null,
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "follows__pkey" primary key ("id")
);
create index "follows__follower_id__idx" on "user_relations"."follows" ("follower_id");
create index "follows__followed_id__idx" on "user_relations"."follows" ("followed_id");
create index "follows__created_by__idx" on "user_relations"."follows" ("created_by");
create index "follows__created_at__id__idx" on "user_relations"."follows" ("created_at", "id");
grant select, insert, update, delete on "user_relations"."follows" to "user_relations_worker";

-- 006-create-table-articles (before, safe): Create the table articles.
create table "user_relations"."articles" (
  "id" uuid not null,
  "title" text collate "C" not null,
  "author_id" uuid not null,
  "reviewer_id" uuid,
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "articles__pkey" primary key ("id"),
  constraint "articles__title__check" check (char_length("title") <= 255)
);
create index "articles__author_id__idx" on "user_relations"."articles" ("author_id");
create index "articles__reviewer_id__idx" on "user_relations"."articles" ("reviewer_id");
create index "articles__created_by__idx" on "user_relations"."articles" ("created_by");
create index "articles__created_at__id__idx" on "user_relations"."articles" ("created_at", "id");
grant select, insert, update, delete on "user_relations"."articles" to "user_relations_worker";

-- 007-reference-sessions-user-id (before, safe): Add a foreign key from sessions.user_id to users.
alter table "user_relations"."sessions" add constraint "sessions__user_id__fkey" foreign key ("user_id") references "user_relations"."users" ("id") on delete cascade;

-- 008-reference-follows-follower-id (before, safe): Add a foreign key from follows.follower_id to users.
alter table "user_relations"."follows" add constraint "follows__follower_id__fkey" foreign key ("follower_id") references "user_relations"."users" ("id");

-- 009-reference-follows-followed-id (before, safe): Add a foreign key from follows.followed_id to users.
alter table "user_relations"."follows" add constraint "follows__followed_id__fkey" foreign key ("followed_id") references "user_relations"."users" ("id");

-- 010-reference-follows-created-by (before, safe): Add a foreign key from follows.created_by to users.
alter table "user_relations"."follows" add constraint "follows__created_by__fkey" foreign key ("created_by") references "user_relations"."users" ("id");

-- 011-reference-articles-author-id (before, safe): Add a foreign key from articles.author_id to users.
alter table "user_relations"."articles" add constraint "articles__author_id__fkey" foreign key ("author_id") references "user_relations"."users" ("id");

-- 012-reference-articles-reviewer-id (before, safe): Add a foreign key from articles.reviewer_id to users.
alter table "user_relations"."articles" add constraint "articles__reviewer_id__fkey" foreign key ("reviewer_id") references "user_relations"."users" ("id");

-- 013-reference-articles-created-by (before, safe): Add a foreign key from articles.created_by to users.
alter table "user_relations"."articles" add constraint "articles__created_by__fkey" foreign key ("created_by") references "user_relations"."users" ("id");

commit;
