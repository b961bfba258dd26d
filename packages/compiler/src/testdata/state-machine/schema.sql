-- The schema of state-machine, for PostgreSQL 15 and newer.
begin;

create role "state_machine_owner" nologin;
create role "state_machine_worker" nologin;
grant "state_machine_owner" to current_user;
create schema "state_machine" authorization "state_machine_owner";
grant usage on schema "state_machine" to "state_machine_worker";
set local role "state_machine_owner";

-- 001-create-table-users (before, safe): Create the table users.
create table "state_machine"."users" (
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
create unique index "users__email__key" on "state_machine"."users" ("email");
create index "users__created_at__id__idx" on "state_machine"."users" ("created_at", "id");
grant select, insert, update, delete on "state_machine"."users" to "state_machine_worker";

-- 002-create-table-sessions (before, safe): Create the table sessions.
create table "state_machine"."sessions" (
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
create unique index "sessions__refresh_hash__key" on "state_machine"."sessions" ("refresh_hash");
create index "sessions__user_id__idx" on "state_machine"."sessions" ("user_id");
create index "sessions__family__idx" on "state_machine"."sessions" ("family");
grant select, insert, update, delete on "state_machine"."sessions" to "state_machine_worker";

-- 003-create-table-audit-log (before, safe): Create the table audit_log.
create table "state_machine"."audit_log" (
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
create index "audit_log__entity__record_id__idx" on "state_machine"."audit_log" ("entity", "record_id");
create index "audit_log__request_id__idx" on "state_machine"."audit_log" ("request_id");
grant select, insert on "state_machine"."audit_log" to "state_machine_worker";

-- 004-create-table-idempotency--replies (before, safe): Create the table idempotency__replies.
create table "state_machine"."idempotency__replies" (
  "principal" text collate "C" not null,
  "key" text collate "C" not null,
  "fingerprint" text collate "C" not null,
  "status" integer not null,
  "location" text collate "C",
  "body" text collate "C" not null,
  "created_at" timestamptz not null default now(),
  constraint "idempotency__replies__pkey" primary key ("principal", "key")
);
create index "idempotency__replies__created_at__idx" on "state_machine"."idempotency__replies" ("created_at");
grant select, insert, update, delete on "state_machine"."idempotency__replies" to "state_machine_worker";

-- 005-create-table-shipments (before, safe): Create the table shipments.
create table "state_machine"."shipments" (
  "id" uuid not null,
  "carrier" text collate "C",
  "status" text collate "C" not null default 'draft',
  "paid" boolean not null default false,
  "user_id" uuid not null,
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "shipments__pkey" primary key ("id"),
  constraint "shipments__carrier__check" check ("carrier" in ('dhl', 'ups')),
  constraint "shipments__status__check" check ("status" in ('delivered', 'draft', 'in_transit', 'purchased'))
);
create index "shipments__user_id__idx" on "state_machine"."shipments" ("user_id");
create index "shipments__created_by__idx" on "state_machine"."shipments" ("created_by");
create index "shipments__created_at__id__idx" on "state_machine"."shipments" ("created_at", "id");
grant select, insert, update, delete on "state_machine"."shipments" to "state_machine_worker";

-- 006-reference-sessions-user-id (before, safe): Add a foreign key from sessions.user_id to users.
alter table "state_machine"."sessions" add constraint "sessions__user_id__fkey" foreign key ("user_id") references "state_machine"."users" ("id") on delete cascade;

-- 007-reference-shipments-user-id (before, safe): Add a foreign key from shipments.user_id to users.
alter table "state_machine"."shipments" add constraint "shipments__user_id__fkey" foreign key ("user_id") references "state_machine"."users" ("id");

-- 008-reference-shipments-created-by (before, safe): Add a foreign key from shipments.created_by to users.
alter table "state_machine"."shipments" add constraint "shipments__created_by__fkey" foreign key ("created_by") references "state_machine"."users" ("id");

commit;
