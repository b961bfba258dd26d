-- The schema of computed-and-sequence, for PostgreSQL 15 and newer.
begin;

create role "computed_and_sequence_owner" nologin;
create role "computed_and_sequence_worker" nologin;
grant "computed_and_sequence_owner" to current_user;
create schema "computed_and_sequence" authorization "computed_and_sequence_owner";
grant usage on schema "computed_and_sequence" to "computed_and_sequence_worker";
set local role "computed_and_sequence_owner";

-- 001-create-table-users (before, safe): Create the table users.
create table "computed_and_sequence"."users" (
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
create unique index "users__email__key" on "computed_and_sequence"."users" ("email");
create index "users__created_at__id__idx" on "computed_and_sequence"."users" ("created_at", "id");
grant select, insert, update, delete on "computed_and_sequence"."users" to "computed_and_sequence_worker";

-- 002-create-table-sessions (before, safe): Create the table sessions.
create table "computed_and_sequence"."sessions" (
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
create unique index "sessions__refresh_hash__key" on "computed_and_sequence"."sessions" ("refresh_hash");
create index "sessions__user_id__idx" on "computed_and_sequence"."sessions" ("user_id");
create index "sessions__family__idx" on "computed_and_sequence"."sessions" ("family");
grant select, insert, update, delete on "computed_and_sequence"."sessions" to "computed_and_sequence_worker";

-- 003-create-table-audit-log (before, safe): Create the table audit_log.
create table "computed_and_sequence"."audit_log" (
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
create index "audit_log__entity__record_id__idx" on "computed_and_sequence"."audit_log" ("entity", "record_id");
create index "audit_log__request_id__idx" on "computed_and_sequence"."audit_log" ("request_id");
grant select, insert on "computed_and_sequence"."audit_log" to "computed_and_sequence_worker";

-- 004-create-table-idempotency--replies (before, safe): Create the table idempotency__replies.
create table "computed_and_sequence"."idempotency__replies" (
  "principal" text collate "C" not null,
  "key" text collate "C" not null,
  "fingerprint" text collate "C" not null,
  "status" integer not null,
  "location" text collate "C",
  "body" text collate "C" not null,
  "created_at" timestamptz not null default now(),
  constraint "idempotency__replies__pkey" primary key ("principal", "key")
);
create index "idempotency__replies__created_at__idx" on "computed_and_sequence"."idempotency__replies" ("created_at");
grant select, insert, update, delete on "computed_and_sequence"."idempotency__replies" to "computed_and_sequence_worker";

-- 005-create-table-sequences (before, safe): Create the table sequences.
create table "computed_and_sequence"."sequences" (
  "name" text collate "C" not null,
  "value" bigint not null default 0,
  constraint "sequences__pkey" primary key ("name")
);
grant select, insert, update on "computed_and_sequence"."sequences" to "computed_and_sequence_worker";

-- 006-create-table-invoices (before, safe): Create the table invoices.
create table "computed_and_sequence"."invoices" (
  "id" uuid not null,
  "number" text collate "C" not null,
  "net" numeric(12,2) not null,
  "tax" numeric(7,4) not null default 19,
  "pieces" integer not null default 1,
  "due_at" timestamptz not null,
  "paid_at" timestamptz,
  "currency" text collate "C" not null default 'EUR',
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "invoices__pkey" primary key ("id"),
  constraint "invoices__tax__check" check ("tax" >= '0' and "tax" <= '100'),
  constraint "invoices__currency__check" check ("currency" in ('EUR', 'USD'))
);
create index "invoices__created_by__idx" on "computed_and_sequence"."invoices" ("created_by");
create index "invoices__created_at__id__idx" on "computed_and_sequence"."invoices" ("created_at", "id");
grant select, insert, update, delete on "computed_and_sequence"."invoices" to "computed_and_sequence_worker";

-- 007-reference-sessions-user-id (before, safe): Add a foreign key from sessions.user_id to users.
alter table "computed_and_sequence"."sessions" add constraint "sessions__user_id__fkey" foreign key ("user_id") references "computed_and_sequence"."users" ("id") on delete cascade;

-- 008-reference-invoices-created-by (before, safe): Add a foreign key from invoices.created_by to users.
alter table "computed_and_sequence"."invoices" add constraint "invoices__created_by__fkey" foreign key ("created_by") references "computed_and_sequence"."users" ("id");

commit;
