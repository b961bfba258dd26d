-- The schema of additive-change, for PostgreSQL 15 and newer.
begin;

create role "additive_change_owner" nologin;
create role "additive_change_worker" nologin;
grant "additive_change_owner" to current_user;
create schema "additive_change" authorization "additive_change_owner";
grant usage on schema "additive_change" to "additive_change_worker";
set local role "additive_change_owner";

-- 001-create-table-users (before, safe): Create the table users.
create table "additive_change"."users" (
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
create unique index "users__email__key" on "additive_change"."users" ("email");
create index "users__created_at__id__idx" on "additive_change"."users" ("created_at", "id");
grant select, insert, update, delete on "additive_change"."users" to "additive_change_worker";

-- 002-create-table-sessions (before, safe): Create the table sessions.
create table "additive_change"."sessions" (
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
create unique index "sessions__refresh_hash__key" on "additive_change"."sessions" ("refresh_hash");
create index "sessions__user_id__idx" on "additive_change"."sessions" ("user_id");
create index "sessions__family__idx" on "additive_change"."sessions" ("family");
grant select, insert, update, delete on "additive_change"."sessions" to "additive_change_worker";

-- 003-create-table-audit-log (before, safe): Create the table audit_log.
create table "additive_change"."audit_log" (
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
create index "audit_log__entity__record_id__idx" on "additive_change"."audit_log" ("entity", "record_id");
create index "audit_log__request_id__idx" on "additive_change"."audit_log" ("request_id");
grant select, insert on "additive_change"."audit_log" to "additive_change_worker";

-- 004-create-table-idempotency--replies (before, safe): Create the table idempotency__replies.
create table "additive_change"."idempotency__replies" (
  "principal" text collate "C" not null,
  "key" text collate "C" not null,
  "fingerprint" text collate "C" not null,
  "status" integer not null,
  "location" text collate "C",
  "body" text collate "C" not null,
  "created_at" timestamptz not null default now(),
  constraint "idempotency__replies__pkey" primary key ("principal", "key")
);
create index "idempotency__replies__created_at__idx" on "additive_change"."idempotency__replies" ("created_at");
grant select, insert, update, delete on "additive_change"."idempotency__replies" to "additive_change_worker";

-- 005-create-table-listings (before, safe): Create the table listings.
create table "additive_change"."listings" (
  "id" uuid not null,
  "title" text collate "C" not null,
  "status" text collate "C" not null default 'active',
  "note" text collate "C",
  "sold_to" text collate "C",
  "featured" boolean not null default false,
  "kind" text collate "C" not null default 'offer',
  "category_id" uuid,
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "listings__pkey" primary key ("id"),
  constraint "listings__title__check" check (char_length("title") <= 120),
  constraint "listings__status__check" check ("status" in ('active', 'draft', 'sold')),
  constraint "listings__sold_to__check" check (char_length("sold_to") <= 255),
  constraint "listings__kind__check" check ("kind" in ('offer', 'request'))
);
create unique index "listings__sold_to__key" on "additive_change"."listings" ("sold_to");
create index "listings__category_id__idx" on "additive_change"."listings" ("category_id");
create index "listings__created_by__idx" on "additive_change"."listings" ("created_by");
create index "listings__status__created_at__id__idx" on "additive_change"."listings" ("status", "created_at", "id");
create index "listings__created_at__id__idx" on "additive_change"."listings" ("created_at", "id");
grant select, insert, update, delete on "additive_change"."listings" to "additive_change_worker";

-- 006-create-table-categories (before, safe): Create the table categories.
create table "additive_change"."categories" (
  "id" uuid not null,
  "name" text collate "C" not null,
  "parent_id" uuid,
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "categories__pkey" primary key ("id"),
  constraint "categories__name__check" check (char_length("name") <= 255)
);
create unique index "categories__name__key" on "additive_change"."categories" ("name");
create index "categories__parent_id__idx" on "additive_change"."categories" ("parent_id");
create index "categories__created_by__idx" on "additive_change"."categories" ("created_by");
create index "categories__created_at__id__idx" on "additive_change"."categories" ("created_at", "id");
grant select, insert, update, delete on "additive_change"."categories" to "additive_change_worker";

-- 007-reference-sessions-user-id (before, safe): Add a foreign key from sessions.user_id to users.
alter table "additive_change"."sessions" add constraint "sessions__user_id__fkey" foreign key ("user_id") references "additive_change"."users" ("id") on delete cascade;

-- 008-reference-listings-category-id (before, safe): Add a foreign key from listings.category_id to categories.
alter table "additive_change"."listings" add constraint "listings__category_id__fkey" foreign key ("category_id") references "additive_change"."categories" ("id");

-- 009-reference-listings-created-by (before, safe): Add a foreign key from listings.created_by to users.
alter table "additive_change"."listings" add constraint "listings__created_by__fkey" foreign key ("created_by") references "additive_change"."users" ("id");

-- 010-reference-categories-parent-id (before, safe): Add a foreign key from categories.parent_id to categories.
alter table "additive_change"."categories" add constraint "categories__parent_id__fkey" foreign key ("parent_id") references "additive_change"."categories" ("id");

-- 011-reference-categories-created-by (before, safe): Add a foreign key from categories.created_by to users.
alter table "additive_change"."categories" add constraint "categories__created_by__fkey" foreign key ("created_by") references "additive_change"."users" ("id");

commit;
