-- The schema of parcel-desk, for PostgreSQL 15 and newer.
begin;

create role "parcel_desk_owner" nologin;
create role "parcel_desk_worker" nologin;
grant "parcel_desk_owner" to current_user;
create schema "parcel_desk" authorization "parcel_desk_owner";
grant usage on schema "parcel_desk" to "parcel_desk_worker";
set local role "parcel_desk_owner";

-- 001-create-table-users (safe): Create the table users.
create table "parcel_desk"."users" (
  "id" uuid not null,
  "email" text collate "C" not null,
  "name" text collate "C",
  "password_hash" text collate "C",
  "roles" text[] not null default '{}',
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "users__pkey" primary key ("id"),
  constraint "users__email__key" unique ("email"),
  constraint "users__email__check" check (char_length("email") <= 254),
  constraint "users__name__check" check (char_length("name") <= 255)
);
create index "users__created_at__id__idx" on "parcel_desk"."users" ("created_at", "id");
grant select, insert, update, delete on "parcel_desk"."users" to "parcel_desk_worker";

-- 002-create-table-sessions (safe): Create the table sessions.
create table "parcel_desk"."sessions" (
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
  constraint "sessions__pkey" primary key ("id"),
  constraint "sessions__refresh_hash__key" unique ("refresh_hash")
);
create index "sessions__user_id__idx" on "parcel_desk"."sessions" ("user_id");
create index "sessions__family__idx" on "parcel_desk"."sessions" ("family");
grant select, insert, update, delete on "parcel_desk"."sessions" to "parcel_desk_worker";

-- 003-create-table-audit-log (safe): Create the table audit_log.
create table "parcel_desk"."audit_log" (
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
create index "audit_log__entity__record_id__idx" on "parcel_desk"."audit_log" ("entity", "record_id");
grant select, insert on "parcel_desk"."audit_log" to "parcel_desk_worker";

-- 004-create-table-shipments (safe): Create the table shipments.
create table "parcel_desk"."shipments" (
  "id" uuid not null,
  "carrier" text collate "C" not null,
  "status" text collate "C" not null default 'draft',
  "tracking_number" text collate "C",
  "user_id" uuid not null,
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "shipments__pkey" primary key ("id"),
  constraint "shipments__carrier__check" check ("carrier" in ('ups', 'usps', 'fedex', 'dhl')),
  constraint "shipments__status__check" check ("status" in ('draft', 'purchased', 'in_transit', 'delivered')),
  constraint "shipments__tracking_number__check" check (char_length("tracking_number") <= 255)
);
create index "shipments__user_id__idx" on "parcel_desk"."shipments" ("user_id");
create index "shipments__created_by__idx" on "parcel_desk"."shipments" ("created_by");
create index "shipments__created_at__id__idx" on "parcel_desk"."shipments" ("created_at", "id");
grant select, insert, update, delete on "parcel_desk"."shipments" to "parcel_desk_worker";

-- 005-create-table-subscriptions (safe): Create the table subscriptions.
create table "parcel_desk"."subscriptions" (
  "id" uuid not null,
  "user_id" uuid not null,
  "plan" text collate "C" not null default 'basic',
  "status" text collate "C" not null default 'pending',
  "payment_ref" text collate "C",
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "subscriptions__pkey" primary key ("id"),
  constraint "subscriptions__payment_ref__key" unique ("payment_ref"),
  constraint "subscriptions__plan__check" check ("plan" in ('basic', 'pro')),
  constraint "subscriptions__status__check" check ("status" in ('pending', 'active', 'cancelled')),
  constraint "subscriptions__payment_ref__check" check (char_length("payment_ref") <= 255)
);
create index "subscriptions__user_id__idx" on "parcel_desk"."subscriptions" ("user_id");
create index "subscriptions__created_by__idx" on "parcel_desk"."subscriptions" ("created_by");
create index "subscriptions__created_at__id__idx" on "parcel_desk"."subscriptions" ("created_at", "id");
grant select, insert, update, delete on "parcel_desk"."subscriptions" to "parcel_desk_worker";

-- 006-reference-sessions-user-id (safe): Let sessions.user_id refer to users.
alter table "parcel_desk"."sessions" add constraint "sessions__user_id__fkey" foreign key ("user_id") references "parcel_desk"."users" ("id") on delete cascade;

-- 007-reference-shipments-user-id (safe): Let shipments.user_id refer to users.
alter table "parcel_desk"."shipments" add constraint "shipments__user_id__fkey" foreign key ("user_id") references "parcel_desk"."users" ("id") on delete restrict;

-- 008-reference-shipments-created-by (safe): Let shipments.created_by refer to users.
alter table "parcel_desk"."shipments" add constraint "shipments__created_by__fkey" foreign key ("created_by") references "parcel_desk"."users" ("id") on delete set null;

-- 009-reference-subscriptions-user-id (safe): Let subscriptions.user_id refer to users.
alter table "parcel_desk"."subscriptions" add constraint "subscriptions__user_id__fkey" foreign key ("user_id") references "parcel_desk"."users" ("id") on delete restrict;

-- 010-reference-subscriptions-created-by (safe): Let subscriptions.created_by refer to users.
alter table "parcel_desk"."subscriptions" add constraint "subscriptions__created_by__fkey" foreign key ("created_by") references "parcel_desk"."users" ("id") on delete set null;

commit;
