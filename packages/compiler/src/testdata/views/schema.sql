-- The schema of news-desk, for PostgreSQL 15 and newer.
begin;

create role "news_desk_owner" nologin;
create role "news_desk_worker" nologin;
grant "news_desk_owner" to current_user;
create schema "news_desk" authorization "news_desk_owner";
grant usage on schema "news_desk" to "news_desk_worker";
set local role "news_desk_owner";

-- 001-create-table-users (before, safe): Create the table users.
create table "news_desk"."users" (
  "id" uuid not null,
  "email" text collate "C" not null,
  "name" text collate "C",
  "password_hash" text collate "C",
  "roles" text[] not null default '{}',
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "users__pkey" primary key ("id"),
  constraint "users__email__check" check (char_length("email") <= 254),
  constraint "users__name__check" check (char_length("name") <= 255)
);
create unique index "users__email__key" on "news_desk"."users" ("email");
create index "users__created_at__id__idx" on "news_desk"."users" ("created_at", "id");
grant select, insert, update, delete on "news_desk"."users" to "news_desk_worker";

-- 002-create-table-sessions (before, safe): Create the table sessions.
create table "news_desk"."sessions" (
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
create unique index "sessions__refresh_hash__key" on "news_desk"."sessions" ("refresh_hash");
create index "sessions__user_id__idx" on "news_desk"."sessions" ("user_id");
create index "sessions__family__idx" on "news_desk"."sessions" ("family");
grant select, insert, update, delete on "news_desk"."sessions" to "news_desk_worker";

-- 003-create-table-audit-log (before, safe): Create the table audit_log.
create table "news_desk"."audit_log" (
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
create index "audit_log__entity__record_id__idx" on "news_desk"."audit_log" ("entity", "record_id");
create index "audit_log__request_id__idx" on "news_desk"."audit_log" ("request_id");
grant select, insert on "news_desk"."audit_log" to "news_desk_worker";

-- 004-create-table-idempotency--replies (before, safe): Create the table idempotency__replies.
create table "news_desk"."idempotency__replies" (
  "principal" text collate "C" not null,
  "key" text collate "C" not null,
  "fingerprint" text collate "C" not null,
  "status" integer not null,
  "location" text collate "C",
  "body" text collate "C" not null,
  "created_at" timestamptz not null default now(),
  constraint "idempotency__replies__pkey" primary key ("principal", "key")
);
create index "idempotency__replies__created_at__idx" on "news_desk"."idempotency__replies" ("created_at");
grant select, insert, update, delete on "news_desk"."idempotency__replies" to "news_desk_worker";

-- 005-create-table-organizations (before, safe): Create the table organizations.
create table "news_desk"."organizations" (
  "id" uuid not null,
  "name" text collate "C" not null,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "organizations__pkey" primary key ("id"),
  constraint "organizations__name__check" check (char_length("name") >= 1 and char_length("name") <= 255)
);
create index "organizations__created_at__id__idx" on "news_desk"."organizations" ("created_at", "id");
grant select, insert, update, delete on "news_desk"."organizations" to "news_desk_worker";

-- 006-create-table-memberships (before, safe): Create the table memberships.
create table "news_desk"."memberships" (
  "organization_id" uuid not null,
  "user_id" uuid not null,
  "role" text collate "C" not null,
  "chosen" boolean not null default false,
  "created_at" timestamptz not null default now(),
  constraint "memberships__pkey" primary key ("organization_id", "user_id"),
  constraint "memberships__role__check" check ("role" in ('admin', 'member', 'owner'))
);
create unique index "memberships__chosen__key" on "news_desk"."memberships" ("user_id") where "chosen";
create index "memberships__user_id__organization_id__idx" on "news_desk"."memberships" ("user_id", "organization_id");
grant select, insert, update, delete on "news_desk"."memberships" to "news_desk_worker";

-- 007-create-table-organizations--invitations (before, safe): Create the table organizations__invitations.
create table "news_desk"."organizations__invitations" (
  "id" uuid not null,
  "organization_id" uuid not null,
  "email" text collate "C" not null,
  "role" text collate "C" not null,
  "token_hash" text collate "C" not null,
  "invited_by" uuid not null,
  "created_at" timestamptz not null default now(),
  "expires_at" timestamptz not null,
  constraint "organizations__invitations__pkey" primary key ("id"),
  constraint "organizations__invitations__email__check" check (char_length("email") <= 254),
  constraint "organizations__invitations__role__check" check ("role" in ('admin', 'member', 'owner'))
);
create unique index "organizations__invitations__token_hash__key" on "news_desk"."organizations__invitations" ("token_hash");
create index "organizations__invitations__organization_id__idx" on "news_desk"."organizations__invitations" ("organization_id");
create index "organizations__invitations__invited_by__idx" on "news_desk"."organizations__invitations" ("invited_by");
grant select, insert, update, delete on "news_desk"."organizations__invitations" to "news_desk_worker";

-- 008-create-table-writers (before, safe): Create the table writers.
create table "news_desk"."writers" (
  "id" uuid not null,
  "name" text collate "C" not null,
  "account_id" uuid not null,
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "writers__pkey" primary key ("id"),
  constraint "writers__name__check" check (char_length("name") <= 255)
);
create unique index "writers__account_id__key" on "news_desk"."writers" ("account_id");
create index "writers__created_by__idx" on "news_desk"."writers" ("created_by");
create index "writers__created_at__id__idx" on "news_desk"."writers" ("created_at", "id");
grant select, insert, update, delete on "news_desk"."writers" to "news_desk_worker";

-- 009-create-table-writers--followers (before, safe): Create the table writers__followers.
create table "news_desk"."writers__followers" (
  "writer_id" uuid not null,
  "other_id" uuid not null,
  constraint "writers__followers__pkey" primary key ("writer_id", "other_id")
);
create index "writers__followers__other_id__idx" on "news_desk"."writers__followers" ("other_id");
grant select, insert, delete on "news_desk"."writers__followers" to "news_desk_worker";

-- 010-create-table-articles (before, safe): Create the table articles.
create table "news_desk"."articles" (
  "id" uuid not null,
  "title" text collate "C" not null,
  "writer_id" uuid not null,
  "published_at" timestamptz,
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "deleted_at" timestamptz,
  "version" integer not null default 1,
  constraint "articles__pkey" primary key ("id"),
  constraint "articles__title__check" check (char_length("title") <= 255)
);
create index "articles__writer_id__idx" on "news_desk"."articles" ("writer_id");
create index "articles__created_by__idx" on "news_desk"."articles" ("created_by");
create index "articles__published_at__id__idx" on "news_desk"."articles" ("published_at", "id") where "deleted_at" is null;
create index "articles__created_at__id__idx" on "news_desk"."articles" ("created_at", "id") where "deleted_at" is null;
grant select, insert, update, delete on "news_desk"."articles" to "news_desk_worker";

-- 011-reference-sessions-user-id (before, safe): Add a foreign key from sessions.user_id to users.
alter table "news_desk"."sessions" add constraint "sessions__user_id__fkey" foreign key ("user_id") references "news_desk"."users" ("id") on delete cascade;

-- 012-reference-memberships-organization-id (before, safe): Add a foreign key from memberships.organization_id to organizations.
alter table "news_desk"."memberships" add constraint "memberships__organization_id__fkey" foreign key ("organization_id") references "news_desk"."organizations" ("id") on delete cascade;

-- 013-reference-memberships-user-id (before, safe): Add a foreign key from memberships.user_id to users.
alter table "news_desk"."memberships" add constraint "memberships__user_id__fkey" foreign key ("user_id") references "news_desk"."users" ("id") on delete cascade;

-- 014-reference-organizations--invitations-organization-id (before, safe): Add a foreign key from organizations__invitations.organization_id to organizations.
alter table "news_desk"."organizations__invitations" add constraint "organizations__invitations__organization_id__fkey" foreign key ("organization_id") references "news_desk"."organizations" ("id") on delete cascade;

-- 015-reference-organizations--invitations-invited-by (before, safe): Add a foreign key from organizations__invitations.invited_by to users.
alter table "news_desk"."organizations__invitations" add constraint "organizations__invitations__invited_by__fkey" foreign key ("invited_by") references "news_desk"."users" ("id") on delete cascade;

-- 016-reference-writers-account-id (before, safe): Add a foreign key from writers.account_id to users.
alter table "news_desk"."writers" add constraint "writers__account_id__fkey" foreign key ("account_id") references "news_desk"."users" ("id");

-- 017-reference-writers-created-by (before, safe): Add a foreign key from writers.created_by to users.
alter table "news_desk"."writers" add constraint "writers__created_by__fkey" foreign key ("created_by") references "news_desk"."users" ("id");

-- 018-reference-writers--followers-writer-id (before, safe): Add a foreign key from writers__followers.writer_id to writers.
alter table "news_desk"."writers__followers" add constraint "writers__followers__writer_id__fkey" foreign key ("writer_id") references "news_desk"."writers" ("id") on delete cascade;

-- 019-reference-writers--followers-other-id (before, safe): Add a foreign key from writers__followers.other_id to writers.
alter table "news_desk"."writers__followers" add constraint "writers__followers__other_id__fkey" foreign key ("other_id") references "news_desk"."writers" ("id") on delete cascade;

-- 020-reference-articles-writer-id (before, safe): Add a foreign key from articles.writer_id to writers.
alter table "news_desk"."articles" add constraint "articles__writer_id__fkey" foreign key ("writer_id") references "news_desk"."writers" ("id");

-- 021-reference-articles-created-by (before, safe): Add a foreign key from articles.created_by to users.
alter table "news_desk"."articles" add constraint "articles__created_by__fkey" foreign key ("created_by") references "news_desk"."users" ("id");

commit;
