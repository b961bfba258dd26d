-- The schema of operators, for PostgreSQL 15 and newer.
begin;

create role "operators_owner" nologin;
create role "operators_worker" nologin;
grant "operators_owner" to current_user;
create schema "operators" authorization "operators_owner";
grant usage on schema "operators" to "operators_worker";
set local role "operators_owner";

-- 001-create-table-users (before, safe): Create the table users.
create table "operators"."users" (
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
create unique index "users__email__key" on "operators"."users" ("email");
create index "users__created_at__id__idx" on "operators"."users" ("created_at", "id");
grant select, insert, update, delete on "operators"."users" to "operators_worker";

-- 002-create-table-sessions (before, safe): Create the table sessions.
create table "operators"."sessions" (
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
create unique index "sessions__refresh_hash__key" on "operators"."sessions" ("refresh_hash");
create index "sessions__user_id__idx" on "operators"."sessions" ("user_id");
create index "sessions__family__idx" on "operators"."sessions" ("family");
grant select, insert, update, delete on "operators"."sessions" to "operators_worker";

-- 003-create-table-audit-log (before, safe): Create the table audit_log.
create table "operators"."audit_log" (
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
create index "audit_log__entity__record_id__idx" on "operators"."audit_log" ("entity", "record_id");
create index "audit_log__request_id__idx" on "operators"."audit_log" ("request_id");
grant select, insert on "operators"."audit_log" to "operators_worker";

-- 004-create-table-idempotency--replies (before, safe): Create the table idempotency__replies.
create table "operators"."idempotency__replies" (
  "principal" text collate "C" not null,
  "key" text collate "C" not null,
  "fingerprint" text collate "C" not null,
  "status" integer not null,
  "location" text collate "C",
  "body" text collate "C" not null,
  "created_at" timestamptz not null default now(),
  constraint "idempotency__replies__pkey" primary key ("principal", "key")
);
create index "idempotency__replies__created_at__idx" on "operators"."idempotency__replies" ("created_at");
grant select, insert, update, delete on "operators"."idempotency__replies" to "operators_worker";

-- 005-create-table-shops (before, safe): Create the table shops.
create table "operators"."shops" (
  "id" uuid not null,
  "name" text collate "C" not null,
  "keeper_id" uuid not null,
  "open" boolean not null default false,
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "shops__pkey" primary key ("id"),
  constraint "shops__name__check" check (char_length("name") <= 255)
);
create index "shops__keeper_id__idx" on "operators"."shops" ("keeper_id");
create index "shops__created_by__idx" on "operators"."shops" ("created_by");
create index "shops__created_at__id__idx" on "operators"."shops" ("created_at", "id");
grant select, insert, update, delete on "operators"."shops" to "operators_worker";

-- 006-create-table-offers (before, safe): Create the table offers.
create table "operators"."offers" (
  "id" uuid not null,
  "title" text collate "C" not null,
  "price" integer not null,
  "limit_price" integer,
  "visible" boolean not null default true,
  "status" text collate "C" not null default 'draft',
  "contact" text collate "C",
  "due_at" timestamptz,
  "shop_id" uuid not null,
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "offers__pkey" primary key ("id"),
  constraint "offers__title__check" check (char_length("title") <= 255),
  constraint "offers__status__check" check ("status" in ('active', 'draft', 'sold')),
  constraint "offers__contact__check" check (char_length("contact") <= 254)
);
create index "offers__shop_id__idx" on "operators"."offers" ("shop_id");
create index "offers__created_by__idx" on "operators"."offers" ("created_by");
create index "offers__contact__idx" on "operators"."offers" ("contact");
create index "offers__status__created_at__id__idx" on "operators"."offers" ("status", "created_at", "id");
create index "offers__created_at__id__idx" on "operators"."offers" ("created_at", "id");
grant select, insert, update, delete on "operators"."offers" to "operators_worker";

-- 007-reference-sessions-user-id (before, safe): Add a foreign key from sessions.user_id to users.
alter table "operators"."sessions" add constraint "sessions__user_id__fkey" foreign key ("user_id") references "operators"."users" ("id") on delete cascade;

-- 008-reference-shops-keeper-id (before, safe): Add a foreign key from shops.keeper_id to users.
alter table "operators"."shops" add constraint "shops__keeper_id__fkey" foreign key ("keeper_id") references "operators"."users" ("id");

-- 009-reference-shops-created-by (before, safe): Add a foreign key from shops.created_by to users.
alter table "operators"."shops" add constraint "shops__created_by__fkey" foreign key ("created_by") references "operators"."users" ("id");

-- 010-reference-offers-shop-id (before, safe): Add a foreign key from offers.shop_id to shops.
alter table "operators"."offers" add constraint "offers__shop_id__fkey" foreign key ("shop_id") references "operators"."shops" ("id");

-- 011-reference-offers-created-by (before, safe): Add a foreign key from offers.created_by to users.
alter table "operators"."offers" add constraint "offers__created_by__fkey" foreign key ("created_by") references "operators"."users" ("id");

commit;
