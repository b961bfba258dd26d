-- The schema of narrowed-fields, for PostgreSQL 15 and newer.
begin;

create role "narrowed_fields_owner" nologin;
create role "narrowed_fields_worker" nologin;
grant "narrowed_fields_owner" to current_user;
create schema "narrowed_fields" authorization "narrowed_fields_owner";
grant usage on schema "narrowed_fields" to "narrowed_fields_worker";
set local role "narrowed_fields_owner";

-- 001-create-table-users (before, safe): Create the table users.
create table "narrowed_fields"."users" (
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
create unique index "users__email__key" on "narrowed_fields"."users" ("email");
create index "users__created_at__id__idx" on "narrowed_fields"."users" ("created_at", "id");
grant select, insert, update, delete on "narrowed_fields"."users" to "narrowed_fields_worker";

-- 002-create-table-sessions (before, safe): Create the table sessions.
create table "narrowed_fields"."sessions" (
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
create unique index "sessions__refresh_hash__key" on "narrowed_fields"."sessions" ("refresh_hash");
create index "sessions__user_id__idx" on "narrowed_fields"."sessions" ("user_id");
create index "sessions__family__idx" on "narrowed_fields"."sessions" ("family");
grant select, insert, update, delete on "narrowed_fields"."sessions" to "narrowed_fields_worker";

-- 003-create-table-audit-log (before, safe): Create the table audit_log.
create table "narrowed_fields"."audit_log" (
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
create index "audit_log__entity__record_id__idx" on "narrowed_fields"."audit_log" ("entity", "record_id");
create index "audit_log__request_id__idx" on "narrowed_fields"."audit_log" ("request_id");
grant select, insert on "narrowed_fields"."audit_log" to "narrowed_fields_worker";

-- 004-create-table-idempotency--replies (before, safe): Create the table idempotency__replies.
create table "narrowed_fields"."idempotency__replies" (
  "principal" text collate "C" not null,
  "key" text collate "C" not null,
  "fingerprint" text collate "C" not null,
  "status" integer not null,
  "location" text collate "C",
  "body" text collate "C" not null,
  "created_at" timestamptz not null default now(),
  constraint "idempotency__replies__pkey" primary key ("principal", "key")
);
create index "idempotency__replies__created_at__idx" on "narrowed_fields"."idempotency__replies" ("created_at");
grant select, insert, update, delete on "narrowed_fields"."idempotency__replies" to "narrowed_fields_worker";

-- 005-create-table-tickets (before, safe): Create the table tickets.
create table "narrowed_fields"."tickets" (
  "id" uuid not null,
  "subject" text collate "C" not null,
  "body" text collate "C" not null,
  "priority" text collate "C" not null default 'low',
  "note" text collate "C",
  "customer_id" uuid,
  "closed_at" timestamptz,
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "tickets__pkey" primary key ("id"),
  constraint "tickets__subject__check" check (char_length("subject") <= 255),
  constraint "tickets__priority__check" check ("priority" in ('high', 'low'))
);
create index "tickets__customer_id__idx" on "narrowed_fields"."tickets" ("customer_id");
create index "tickets__created_by__idx" on "narrowed_fields"."tickets" ("created_by");
create index "tickets__created_at__id__idx" on "narrowed_fields"."tickets" ("created_at", "id");
grant select, insert, update, delete on "narrowed_fields"."tickets" to "narrowed_fields_worker";

-- 006-reference-sessions-user-id (before, safe): Add a foreign key from sessions.user_id to users.
alter table "narrowed_fields"."sessions" add constraint "sessions__user_id__fkey" foreign key ("user_id") references "narrowed_fields"."users" ("id") on delete cascade;

-- 007-reference-tickets-customer-id (before, safe): Add a foreign key from tickets.customer_id to users.
alter table "narrowed_fields"."tickets" add constraint "tickets__customer_id__fkey" foreign key ("customer_id") references "narrowed_fields"."users" ("id");

-- 008-reference-tickets-created-by (before, safe): Add a foreign key from tickets.created_by to users.
alter table "narrowed_fields"."tickets" add constraint "tickets__created_by__fkey" foreign key ("created_by") references "narrowed_fields"."users" ("id");

commit;
