-- The schema of parcel-desk, for PostgreSQL 15 and newer.
begin;

create role "parcel_desk_owner" nologin;
create role "parcel_desk_worker" nologin;
grant "parcel_desk_owner" to current_user;
create schema "parcel_desk" authorization "parcel_desk_owner";
grant usage on schema "parcel_desk" to "parcel_desk_worker";
set local role "parcel_desk_owner";

-- 001-create-table-users (before, safe): Create the table users.
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
  constraint "users__email__check" check (char_length("email") <= 254),
  constraint "users__name__check" check (char_length("name") <= 255)
);
create unique index "users__email__key" on "parcel_desk"."users" ("email");
create index "users__created_at__id__idx" on "parcel_desk"."users" ("created_at", "id");
grant select, insert, update, delete on "parcel_desk"."users" to "parcel_desk_worker";

-- 002-create-table-sessions (before, safe): Create the table sessions.
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
  constraint "sessions__pkey" primary key ("id")
);
create unique index "sessions__refresh_hash__key" on "parcel_desk"."sessions" ("refresh_hash");
create index "sessions__user_id__idx" on "parcel_desk"."sessions" ("user_id");
create index "sessions__family__idx" on "parcel_desk"."sessions" ("family");
grant select, insert, update, delete on "parcel_desk"."sessions" to "parcel_desk_worker";

-- 003-create-table-audit-log (before, safe): Create the table audit_log.
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
create index "audit_log__request_id__idx" on "parcel_desk"."audit_log" ("request_id");
grant select, insert on "parcel_desk"."audit_log" to "parcel_desk_worker";

-- 004-create-table-idempotency--replies (before, safe): Create the table idempotency__replies.
create table "parcel_desk"."idempotency__replies" (
  "principal" text collate "C" not null,
  "key" text collate "C" not null,
  "fingerprint" text collate "C" not null,
  "status" integer not null,
  "location" text collate "C",
  "body" text collate "C" not null,
  "created_at" timestamptz not null default now(),
  constraint "idempotency__replies__pkey" primary key ("principal", "key")
);
create index "idempotency__replies__created_at__idx" on "parcel_desk"."idempotency__replies" ("created_at");
grant select, insert, update, delete on "parcel_desk"."idempotency__replies" to "parcel_desk_worker";

-- 005-create-table-organizations (before, safe): Create the table organizations.
create table "parcel_desk"."organizations" (
  "id" uuid not null,
  "name" text collate "C" not null,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "organizations__pkey" primary key ("id"),
  constraint "organizations__name__check" check (char_length("name") >= 1 and char_length("name") <= 255)
);
create index "organizations__created_at__id__idx" on "parcel_desk"."organizations" ("created_at", "id");
grant select, insert, update, delete on "parcel_desk"."organizations" to "parcel_desk_worker";

-- 006-create-table-memberships (before, safe): Create the table memberships.
create table "parcel_desk"."memberships" (
  "organization_id" uuid not null,
  "user_id" uuid not null,
  "role" text collate "C" not null,
  "chosen" boolean not null default false,
  "created_at" timestamptz not null default now(),
  constraint "memberships__pkey" primary key ("organization_id", "user_id"),
  constraint "memberships__role__check" check ("role" in ('admin', 'member', 'owner'))
);
create unique index "memberships__chosen__key" on "parcel_desk"."memberships" ("user_id") where "chosen";
create index "memberships__user_id__organization_id__idx" on "parcel_desk"."memberships" ("user_id", "organization_id");
grant select, insert, update, delete on "parcel_desk"."memberships" to "parcel_desk_worker";

-- 007-create-table-organizations--invitations (before, safe): Create the table organizations__invitations.
create table "parcel_desk"."organizations__invitations" (
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
create unique index "organizations__invitations__token_hash__key" on "parcel_desk"."organizations__invitations" ("token_hash");
create index "organizations__invitations__organization_id__idx" on "parcel_desk"."organizations__invitations" ("organization_id");
create index "organizations__invitations__invited_by__idx" on "parcel_desk"."organizations__invitations" ("invited_by");
grant select, insert, update, delete on "parcel_desk"."organizations__invitations" to "parcel_desk_worker";

-- 008-create-table-workers--listeners (before, safe): Create the table workers__listeners.
create table "parcel_desk"."workers__listeners" (
  "event" text collate "C" not null,
  constraint "workers__listeners__pkey" primary key ("event")
);
grant select on "parcel_desk"."workers__listeners" to "parcel_desk_worker";

-- 009-create-table-workers--events (before, safe): Create the table workers__events.
create table "parcel_desk"."workers__events" (
  "id" uuid not null,
  "seq" bigint not null,
  "name" text collate "C" not null,
  "at" timestamptz not null,
  "entity" text collate "C",
  "record_id" uuid,
  "organization_id" uuid,
  "actor_kind" text collate "C",
  "actor_id" text collate "C",
  "request_id" text collate "C",
  "cause" jsonb,
  "record" jsonb,
  "old" jsonb,
  "data" jsonb,
  constraint "workers__events__pkey" primary key ("id")
);
create unique index "workers__events__seq__key" on "parcel_desk"."workers__events" ("seq");
create index "workers__events__at__id__idx" on "parcel_desk"."workers__events" ("at", "id");
create index "workers__events__request_id__idx" on "parcel_desk"."workers__events" ("request_id");
create index "workers__events__record_id__seq__idx" on "parcel_desk"."workers__events" ("record_id", "seq");
grant select, insert, update, delete on "parcel_desk"."workers__events" to "parcel_desk_worker";

-- 010-create-table-workers--runs (before, safe): Create the table workers__runs.
create table "parcel_desk"."workers__runs" (
  "id" uuid not null,
  "workflow" text collate "C" not null,
  "kind" text collate "C" not null,
  "definition" text collate "C" not null,
  "event_id" uuid,
  "order_key" text collate "C",
  "seq" bigint,
  "status" text collate "C" not null,
  "input" jsonb,
  "output" jsonb,
  "error" jsonb,
  "depth" integer not null default 0,
  "caused_by" uuid,
  "request_id" text collate "C",
  "actor_kind" text collate "C",
  "actor_id" text collate "C",
  "organization_id" uuid,
  "caller" jsonb,
  "fence" bigint not null default 0,
  "lease_until" timestamptz,
  "cancelled" boolean not null default false,
  "created_at" timestamptz not null default now(),
  "started_at" timestamptz,
  "ended_at" timestamptz,
  constraint "workers__runs__pkey" primary key ("id")
);
create unique index "workers__runs__workflow__event_id__key" on "parcel_desk"."workers__runs" ("workflow", "event_id");
create index "workers__runs__created_at__id__idx" on "parcel_desk"."workers__runs" ("created_at", "id");
create index "workers__runs__event_id__idx" on "parcel_desk"."workers__runs" ("event_id");
create index "workers__runs__caused_by__idx" on "parcel_desk"."workers__runs" ("caused_by");
create index "workers__runs__request_id__idx" on "parcel_desk"."workers__runs" ("request_id");
create index "workers__runs__order_key__seq__idx" on "parcel_desk"."workers__runs" ("order_key", "seq");
create index "workers__runs__ended_at__idx" on "parcel_desk"."workers__runs" ("ended_at");
grant select, insert, update, delete on "parcel_desk"."workers__runs" to "parcel_desk_worker";

-- 011-create-table-workers--steps (before, safe): Create the table workers__steps.
create table "parcel_desk"."workers__steps" (
  "run_id" uuid not null,
  "path" text collate "C" not null,
  "status" text collate "C" not null,
  "key" text collate "C" not null,
  "attempts" integer not null default 0,
  "input" jsonb,
  "output" jsonb,
  "error" jsonb,
  "started_at" timestamptz,
  "ended_at" timestamptz,
  "next_at" timestamptz,
  constraint "workers__steps__pkey" primary key ("run_id", "path")
);
grant select, insert, update, delete on "parcel_desk"."workers__steps" to "parcel_desk_worker";

-- 012-create-table-workers--attempts (before, safe): Create the table workers__attempts.
create table "parcel_desk"."workers__attempts" (
  "run_id" uuid not null,
  "path" text collate "C" not null,
  "attempt" integer not null,
  "started_at" timestamptz not null,
  "ended_at" timestamptz,
  "error" jsonb,
  constraint "workers__attempts__pkey" primary key ("run_id", "path", "attempt")
);
grant select, insert, update, delete on "parcel_desk"."workers__attempts" to "parcel_desk_worker";

-- 013-create-table-workers--waits (before, safe): Create the table workers__waits.
create table "parcel_desk"."workers__waits" (
  "run_id" uuid not null,
  "path" text collate "C" not null,
  "kind" text collate "C" not null,
  "event" text collate "C",
  "member" text collate "C" not null default '',
  "wanted" text collate "C" not null default '',
  "until" timestamptz,
  "roles" text[],
  "by_self" boolean,
  "answer" jsonb,
  "offered" uuid[] not null default '{}',
  "created_at" timestamptz not null default now(),
  constraint "workers__waits__pkey" primary key ("run_id", "path")
);
create index "workers__waits__event__member__wanted__idx" on "parcel_desk"."workers__waits" ("event", "member", "wanted") where "answer" is null;
grant select, insert, update, delete on "parcel_desk"."workers__waits" to "parcel_desk_worker";

-- 014-create-table-shipments (before, safe): Create the table shipments.
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
  constraint "shipments__carrier__check" check ("carrier" in ('dhl', 'fedex', 'ups', 'usps')),
  constraint "shipments__status__check" check ("status" in ('delivered', 'draft', 'in_transit', 'purchased')),
  constraint "shipments__tracking_number__check" check (char_length("tracking_number") <= 255)
);
create index "shipments__user_id__idx" on "parcel_desk"."shipments" ("user_id");
create index "shipments__created_by__idx" on "parcel_desk"."shipments" ("created_by");
create index "shipments__created_at__id__idx" on "parcel_desk"."shipments" ("created_at", "id");
grant select, insert, update, delete on "parcel_desk"."shipments" to "parcel_desk_worker";

-- 015-create-table-subscriptions (before, safe): Create the table subscriptions.
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
  constraint "subscriptions__plan__check" check ("plan" in ('basic', 'pro')),
  constraint "subscriptions__status__check" check ("status" in ('active', 'cancelled', 'pending')),
  constraint "subscriptions__payment_ref__check" check (char_length("payment_ref") <= 255)
);
create unique index "subscriptions__payment_ref__key" on "parcel_desk"."subscriptions" ("payment_ref");
create index "subscriptions__user_id__idx" on "parcel_desk"."subscriptions" ("user_id");
create index "subscriptions__created_by__idx" on "parcel_desk"."subscriptions" ("created_by");
create index "subscriptions__created_at__id__idx" on "parcel_desk"."subscriptions" ("created_at", "id");
grant select, insert, update, delete on "parcel_desk"."subscriptions" to "parcel_desk_worker";

-- 016-reference-sessions-user-id (before, safe): Add a foreign key from sessions.user_id to users.
alter table "parcel_desk"."sessions" add constraint "sessions__user_id__fkey" foreign key ("user_id") references "parcel_desk"."users" ("id") on delete cascade;

-- 017-reference-memberships-organization-id (before, safe): Add a foreign key from memberships.organization_id to organizations.
alter table "parcel_desk"."memberships" add constraint "memberships__organization_id__fkey" foreign key ("organization_id") references "parcel_desk"."organizations" ("id") on delete cascade;

-- 018-reference-memberships-user-id (before, safe): Add a foreign key from memberships.user_id to users.
alter table "parcel_desk"."memberships" add constraint "memberships__user_id__fkey" foreign key ("user_id") references "parcel_desk"."users" ("id") on delete cascade;

-- 019-reference-organizations--invitations-organization-id (before, safe): Add a foreign key from organizations__invitations.organization_id to organizations.
alter table "parcel_desk"."organizations__invitations" add constraint "organizations__invitations__organization_id__fkey" foreign key ("organization_id") references "parcel_desk"."organizations" ("id") on delete cascade;

-- 020-reference-organizations--invitations-invited-by (before, safe): Add a foreign key from organizations__invitations.invited_by to users.
alter table "parcel_desk"."organizations__invitations" add constraint "organizations__invitations__invited_by__fkey" foreign key ("invited_by") references "parcel_desk"."users" ("id") on delete cascade;

-- 021-reference-workers--steps-run-id (before, safe): Add a foreign key from workers__steps.run_id to workers__runs.
alter table "parcel_desk"."workers__steps" add constraint "workers__steps__run_id__fkey" foreign key ("run_id") references "parcel_desk"."workers__runs" ("id") on delete cascade;

-- 022-reference-workers--attempts-run-id (before, safe): Add a foreign key from workers__attempts.run_id to workers__runs.
alter table "parcel_desk"."workers__attempts" add constraint "workers__attempts__run_id__fkey" foreign key ("run_id") references "parcel_desk"."workers__runs" ("id") on delete cascade;

-- 023-reference-workers--waits-run-id (before, safe): Add a foreign key from workers__waits.run_id to workers__runs.
alter table "parcel_desk"."workers__waits" add constraint "workers__waits__run_id__fkey" foreign key ("run_id") references "parcel_desk"."workers__runs" ("id") on delete cascade;

-- 024-reference-shipments-user-id (before, safe): Add a foreign key from shipments.user_id to users.
alter table "parcel_desk"."shipments" add constraint "shipments__user_id__fkey" foreign key ("user_id") references "parcel_desk"."users" ("id");

-- 025-reference-shipments-created-by (before, safe): Add a foreign key from shipments.created_by to users.
alter table "parcel_desk"."shipments" add constraint "shipments__created_by__fkey" foreign key ("created_by") references "parcel_desk"."users" ("id");

-- 026-reference-subscriptions-user-id (before, safe): Add a foreign key from subscriptions.user_id to users.
alter table "parcel_desk"."subscriptions" add constraint "subscriptions__user_id__fkey" foreign key ("user_id") references "parcel_desk"."users" ("id");

-- 027-reference-subscriptions-created-by (before, safe): Add a foreign key from subscriptions.created_by to users.
alter table "parcel_desk"."subscriptions" add constraint "subscriptions__created_by__fkey" foreign key ("created_by") references "parcel_desk"."users" ("id");

commit;
