-- The schema of organization-scope, for PostgreSQL 15 and newer.
begin;

create role "organization_scope_owner" nologin;
create role "organization_scope_worker" nologin;
grant "organization_scope_owner" to current_user;
create schema "organization_scope" authorization "organization_scope_owner";
grant usage on schema "organization_scope" to "organization_scope_worker";
set local role "organization_scope_owner";

-- 001-create-table-users (before, safe): Create the table users.
create table "organization_scope"."users" (
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
create unique index "users__email__key" on "organization_scope"."users" ("email");
create index "users__created_at__id__idx" on "organization_scope"."users" ("created_at", "id");
grant select, insert, update, delete on "organization_scope"."users" to "organization_scope_worker";

-- 002-create-table-sessions (before, safe): Create the table sessions.
create table "organization_scope"."sessions" (
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
create unique index "sessions__refresh_hash__key" on "organization_scope"."sessions" ("refresh_hash");
create index "sessions__user_id__idx" on "organization_scope"."sessions" ("user_id");
create index "sessions__family__idx" on "organization_scope"."sessions" ("family");
grant select, insert, update, delete on "organization_scope"."sessions" to "organization_scope_worker";

-- 003-create-table-audit-log (before, safe): Create the table audit_log.
create table "organization_scope"."audit_log" (
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
create index "audit_log__entity__record_id__idx" on "organization_scope"."audit_log" ("entity", "record_id");
create index "audit_log__request_id__idx" on "organization_scope"."audit_log" ("request_id");
grant select, insert on "organization_scope"."audit_log" to "organization_scope_worker";

-- 004-create-table-idempotency--replies (before, safe): Create the table idempotency__replies.
create table "organization_scope"."idempotency__replies" (
  "principal" text collate "C" not null,
  "key" text collate "C" not null,
  "fingerprint" text collate "C" not null,
  "status" integer not null,
  "location" text collate "C",
  "body" text collate "C" not null,
  "created_at" timestamptz not null default now(),
  constraint "idempotency__replies__pkey" primary key ("principal", "key")
);
create index "idempotency__replies__created_at__idx" on "organization_scope"."idempotency__replies" ("created_at");
grant select, insert, update, delete on "organization_scope"."idempotency__replies" to "organization_scope_worker";

-- 005-create-table-organizations (before, safe): Create the table organizations.
create table "organization_scope"."organizations" (
  "id" uuid not null,
  "name" text collate "C" not null,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "organizations__pkey" primary key ("id"),
  constraint "organizations__name__check" check (char_length("name") >= 1 and char_length("name") <= 255)
);
create index "organizations__created_at__id__idx" on "organization_scope"."organizations" ("created_at", "id");
grant select, insert, update, delete on "organization_scope"."organizations" to "organization_scope_worker";

-- 006-create-table-memberships (before, safe): Create the table memberships.
create table "organization_scope"."memberships" (
  "organization_id" uuid not null,
  "user_id" uuid not null,
  "role" text collate "C" not null,
  "chosen" boolean not null default false,
  "created_at" timestamptz not null default now(),
  constraint "memberships__pkey" primary key ("organization_id", "user_id"),
  constraint "memberships__role__check" check ("role" in ('admin', 'member', 'owner'))
);
create unique index "memberships__chosen__key" on "organization_scope"."memberships" ("user_id") where "chosen";
create index "memberships__user_id__organization_id__idx" on "organization_scope"."memberships" ("user_id", "organization_id");
grant select, insert, update, delete on "organization_scope"."memberships" to "organization_scope_worker";

-- 007-create-table-organizations--invitations (before, safe): Create the table organizations__invitations.
create table "organization_scope"."organizations__invitations" (
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
create unique index "organizations__invitations__token_hash__key" on "organization_scope"."organizations__invitations" ("token_hash");
create index "organizations__invitations__organization_id__idx" on "organization_scope"."organizations__invitations" ("organization_id");
create index "organizations__invitations__invited_by__idx" on "organization_scope"."organizations__invitations" ("invited_by");
grant select, insert, update, delete on "organization_scope"."organizations__invitations" to "organization_scope_worker";

-- 008-create-table-vehicles (before, safe): Create the table vehicles.
create table "organization_scope"."vehicles" (
  "id" uuid not null,
  "org_id" uuid not null,
  "plate" text collate "C" not null,
  "mileage" integer not null default 0,
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "vehicles__pkey" primary key ("id"),
  constraint "vehicles__plate__check" check (char_length("plate") <= 255)
);
create unique index "vehicles__plate__org_id__key" on "organization_scope"."vehicles" ("plate", "org_id");
create index "vehicles__org_id__created_at__id__idx" on "organization_scope"."vehicles" ("org_id", "created_at", "id");
create index "vehicles__created_by__idx" on "organization_scope"."vehicles" ("created_by");
create index "vehicles__created_at__id__idx" on "organization_scope"."vehicles" ("created_at", "id");
grant select, insert, update, delete on "organization_scope"."vehicles" to "organization_scope_worker";

-- 009-create-table-trips (before, safe): Create the table trips.
create table "organization_scope"."trips" (
  "id" uuid not null,
  "org_id" uuid not null,
  "vehicle_id" uuid not null,
  "started_at" timestamptz not null default now(),
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "trips__pkey" primary key ("id")
);
create index "trips__org_id__created_at__id__idx" on "organization_scope"."trips" ("org_id", "created_at", "id");
create index "trips__vehicle_id__idx" on "organization_scope"."trips" ("vehicle_id");
create index "trips__created_by__idx" on "organization_scope"."trips" ("created_by");
create index "trips__created_at__id__idx" on "organization_scope"."trips" ("created_at", "id");
grant select, insert, update, delete on "organization_scope"."trips" to "organization_scope_worker";

-- 010-create-table-notes (before, safe): Create the table notes.
create table "organization_scope"."notes" (
  "id" uuid not null,
  "about" uuid,
  "text" text collate "C" not null,
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "notes__pkey" primary key ("id")
);
create index "notes__about__idx" on "organization_scope"."notes" ("about");
create index "notes__created_by__idx" on "organization_scope"."notes" ("created_by");
create index "notes__created_at__id__idx" on "organization_scope"."notes" ("created_at", "id");
grant select, insert, update, delete on "organization_scope"."notes" to "organization_scope_worker";

-- 011-reference-sessions-user-id (before, safe): Add a foreign key from sessions.user_id to users.
alter table "organization_scope"."sessions" add constraint "sessions__user_id__fkey" foreign key ("user_id") references "organization_scope"."users" ("id") on delete cascade;

-- 012-reference-memberships-organization-id (before, safe): Add a foreign key from memberships.organization_id to organizations.
alter table "organization_scope"."memberships" add constraint "memberships__organization_id__fkey" foreign key ("organization_id") references "organization_scope"."organizations" ("id") on delete cascade;

-- 013-reference-memberships-user-id (before, safe): Add a foreign key from memberships.user_id to users.
alter table "organization_scope"."memberships" add constraint "memberships__user_id__fkey" foreign key ("user_id") references "organization_scope"."users" ("id") on delete cascade;

-- 014-reference-organizations--invitations-organization-id (before, safe): Add a foreign key from organizations__invitations.organization_id to organizations.
alter table "organization_scope"."organizations__invitations" add constraint "organizations__invitations__organization_id__fkey" foreign key ("organization_id") references "organization_scope"."organizations" ("id") on delete cascade;

-- 015-reference-organizations--invitations-invited-by (before, safe): Add a foreign key from organizations__invitations.invited_by to users.
alter table "organization_scope"."organizations__invitations" add constraint "organizations__invitations__invited_by__fkey" foreign key ("invited_by") references "organization_scope"."users" ("id") on delete cascade;

-- 016-reference-vehicles-org-id (before, safe): Add a foreign key from vehicles.org_id to organizations.
alter table "organization_scope"."vehicles" add constraint "vehicles__org_id__fkey" foreign key ("org_id") references "organization_scope"."organizations" ("id");

-- 017-reference-vehicles-created-by (before, safe): Add a foreign key from vehicles.created_by to users.
alter table "organization_scope"."vehicles" add constraint "vehicles__created_by__fkey" foreign key ("created_by") references "organization_scope"."users" ("id");

-- 018-reference-trips-org-id (before, safe): Add a foreign key from trips.org_id to organizations.
alter table "organization_scope"."trips" add constraint "trips__org_id__fkey" foreign key ("org_id") references "organization_scope"."organizations" ("id");

-- 019-reference-trips-vehicle-id (before, safe): Add a foreign key from trips.vehicle_id to vehicles.
alter table "organization_scope"."trips" add constraint "trips__vehicle_id__fkey" foreign key ("vehicle_id") references "organization_scope"."vehicles" ("id");

-- 020-reference-trips-created-by (before, safe): Add a foreign key from trips.created_by to users.
alter table "organization_scope"."trips" add constraint "trips__created_by__fkey" foreign key ("created_by") references "organization_scope"."users" ("id");

-- 021-reference-notes-about (before, safe): Add a foreign key from notes.about to organizations.
alter table "organization_scope"."notes" add constraint "notes__about__fkey" foreign key ("about") references "organization_scope"."organizations" ("id");

-- 022-reference-notes-created-by (before, safe): Add a foreign key from notes.created_by to users.
alter table "organization_scope"."notes" add constraint "notes__created_by__fkey" foreign key ("created_by") references "organization_scope"."users" ("id");

commit;
