-- The schema of functions, for PostgreSQL 15 and newer.
begin;

create role "functions_owner" nologin;
create role "functions_worker" nologin;
grant "functions_owner" to current_user;
create schema "functions" authorization "functions_owner";
grant usage on schema "functions" to "functions_worker";
set local role "functions_owner";

-- 001-create-table-users (before, safe): Create the table users.
create table "functions"."users" (
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
create unique index "users__email__key" on "functions"."users" ("email");
create index "users__created_at__id__idx" on "functions"."users" ("created_at", "id");
grant select, insert, update, delete on "functions"."users" to "functions_worker";

-- 002-create-table-sessions (before, safe): Create the table sessions.
create table "functions"."sessions" (
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
create unique index "sessions__refresh_hash__key" on "functions"."sessions" ("refresh_hash");
create index "sessions__user_id__idx" on "functions"."sessions" ("user_id");
create index "sessions__family__idx" on "functions"."sessions" ("family");
grant select, insert, update, delete on "functions"."sessions" to "functions_worker";

-- 003-create-table-audit-log (before, safe): Create the table audit_log.
create table "functions"."audit_log" (
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
create index "audit_log__entity__record_id__idx" on "functions"."audit_log" ("entity", "record_id");
create index "audit_log__request_id__idx" on "functions"."audit_log" ("request_id");
grant select, insert on "functions"."audit_log" to "functions_worker";

-- 004-create-table-idempotency--replies (before, safe): Create the table idempotency__replies.
create table "functions"."idempotency__replies" (
  "principal" text collate "C" not null,
  "key" text collate "C" not null,
  "fingerprint" text collate "C" not null,
  "status" integer not null,
  "location" text collate "C",
  "body" text collate "C" not null,
  "created_at" timestamptz not null default now(),
  constraint "idempotency__replies__pkey" primary key ("principal", "key")
);
create index "idempotency__replies__created_at__idx" on "functions"."idempotency__replies" ("created_at");
grant select, insert, update, delete on "functions"."idempotency__replies" to "functions_worker";

-- 005-create-table-places (before, safe): Create the table places.
create table "functions"."places" (
  "id" uuid not null,
  "name" text collate "C" not null,
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "places__pkey" primary key ("id"),
  constraint "places__name__check" check (char_length("name") <= 255)
);
create index "places__created_by__idx" on "functions"."places" ("created_by");
create index "places__created_at__id__idx" on "functions"."places" ("created_at", "id");
grant select, insert, update, delete on "functions"."places" to "functions_worker";

-- 006-create-table-visits (before, safe): Create the table visits.
create table "functions"."visits" (
  "id" uuid not null,
  "place_id" uuid not null,
  "address" text collate "C" not null,
  "paid" numeric(8,2) not null,
  "at" timestamptz not null,
  "length" double precision,
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "visits__pkey" primary key ("id"),
  constraint "visits__address__check" check (char_length("address") <= 255),
  constraint "visits__length__finite" check ("length" > '-infinity' and "length" < 'infinity')
);
create index "visits__place_id__idx" on "functions"."visits" ("place_id");
create index "visits__created_by__idx" on "functions"."visits" ("created_by");
create index "visits__created_at__id__idx" on "functions"."visits" ("created_at", "id");
grant select, insert, update, delete on "functions"."visits" to "functions_worker";

-- 007-reference-sessions-user-id (before, safe): Add a foreign key from sessions.user_id to users.
alter table "functions"."sessions" add constraint "sessions__user_id__fkey" foreign key ("user_id") references "functions"."users" ("id") on delete cascade;

-- 008-reference-places-created-by (before, safe): Add a foreign key from places.created_by to users.
alter table "functions"."places" add constraint "places__created_by__fkey" foreign key ("created_by") references "functions"."users" ("id");

-- 009-reference-visits-place-id (before, safe): Add a foreign key from visits.place_id to places.
alter table "functions"."visits" add constraint "visits__place_id__fkey" foreign key ("place_id") references "functions"."places" ("id");

-- 010-reference-visits-created-by (before, safe): Add a foreign key from visits.created_by to users.
alter table "functions"."visits" add constraint "visits__created_by__fkey" foreign key ("created_by") references "functions"."users" ("id");

commit;
