-- The schema of print-shop, for PostgreSQL 15 and newer.
begin;

create role "print_shop_owner" nologin;
create role "print_shop_worker" nologin;
grant "print_shop_owner" to current_user;
create schema "print_shop" authorization "print_shop_owner";
grant usage on schema "print_shop" to "print_shop_worker";
set local role "print_shop_owner";

-- 001-create-table-users (before, safe): Create the table users.
create table "print_shop"."users" (
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
create unique index "users__email__key" on "print_shop"."users" ("email");
create index "users__created_at__id__idx" on "print_shop"."users" ("created_at", "id");
grant select, insert, update, delete on "print_shop"."users" to "print_shop_worker";

-- 002-create-table-sessions (before, safe): Create the table sessions.
create table "print_shop"."sessions" (
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
create unique index "sessions__refresh_hash__key" on "print_shop"."sessions" ("refresh_hash");
create index "sessions__user_id__idx" on "print_shop"."sessions" ("user_id");
create index "sessions__family__idx" on "print_shop"."sessions" ("family");
grant select, insert, update, delete on "print_shop"."sessions" to "print_shop_worker";

-- 003-create-table-audit-log (before, safe): Create the table audit_log.
create table "print_shop"."audit_log" (
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
create index "audit_log__entity__record_id__idx" on "print_shop"."audit_log" ("entity", "record_id");
create index "audit_log__request_id__idx" on "print_shop"."audit_log" ("request_id");
grant select, insert on "print_shop"."audit_log" to "print_shop_worker";

-- 004-create-table-idempotency--replies (before, safe): Create the table idempotency__replies.
create table "print_shop"."idempotency__replies" (
  "principal" text collate "C" not null,
  "key" text collate "C" not null,
  "fingerprint" text collate "C" not null,
  "status" integer not null,
  "location" text collate "C",
  "body" text collate "C" not null,
  "created_at" timestamptz not null default now(),
  constraint "idempotency__replies__pkey" primary key ("principal", "key")
);
create index "idempotency__replies__created_at__idx" on "print_shop"."idempotency__replies" ("created_at");
grant select, insert, update, delete on "print_shop"."idempotency__replies" to "print_shop_worker";

-- 005-create-table-workers--listeners (before, safe): Create the table workers__listeners.
create table "print_shop"."workers__listeners" (
  "event" text collate "C" not null,
  constraint "workers__listeners__pkey" primary key ("event")
);
grant select on "print_shop"."workers__listeners" to "print_shop_worker";

-- 006-create-table-workers--events (before, safe): Create the table workers__events.
create table "print_shop"."workers__events" (
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
create unique index "workers__events__seq__key" on "print_shop"."workers__events" ("seq");
create index "workers__events__at__id__idx" on "print_shop"."workers__events" ("at", "id");
create index "workers__events__request_id__idx" on "print_shop"."workers__events" ("request_id");
create index "workers__events__record_id__seq__idx" on "print_shop"."workers__events" ("record_id", "seq");
grant select, insert, update, delete on "print_shop"."workers__events" to "print_shop_worker";

-- 007-create-table-workers--runs (before, safe): Create the table workers__runs.
create table "print_shop"."workers__runs" (
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
create unique index "workers__runs__workflow__event_id__key" on "print_shop"."workers__runs" ("workflow", "event_id");
create index "workers__runs__created_at__id__idx" on "print_shop"."workers__runs" ("created_at", "id");
create index "workers__runs__event_id__idx" on "print_shop"."workers__runs" ("event_id");
create index "workers__runs__caused_by__idx" on "print_shop"."workers__runs" ("caused_by");
create index "workers__runs__request_id__idx" on "print_shop"."workers__runs" ("request_id");
create index "workers__runs__order_key__seq__idx" on "print_shop"."workers__runs" ("order_key", "seq");
create index "workers__runs__ended_at__idx" on "print_shop"."workers__runs" ("ended_at");
grant select, insert, update, delete on "print_shop"."workers__runs" to "print_shop_worker";

-- 008-create-table-workers--steps (before, safe): Create the table workers__steps.
create table "print_shop"."workers__steps" (
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
grant select, insert, update, delete on "print_shop"."workers__steps" to "print_shop_worker";

-- 009-create-table-workers--attempts (before, safe): Create the table workers__attempts.
create table "print_shop"."workers__attempts" (
  "run_id" uuid not null,
  "path" text collate "C" not null,
  "attempt" integer not null,
  "started_at" timestamptz not null,
  "ended_at" timestamptz,
  "error" jsonb,
  constraint "workers__attempts__pkey" primary key ("run_id", "path", "attempt")
);
grant select, insert, update, delete on "print_shop"."workers__attempts" to "print_shop_worker";

-- 010-create-table-workers--waits (before, safe): Create the table workers__waits.
create table "print_shop"."workers__waits" (
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
create index "workers__waits__event__member__wanted__idx" on "print_shop"."workers__waits" ("event", "member", "wanted") where "answer" is null;
grant select, insert, update, delete on "print_shop"."workers__waits" to "print_shop_worker";

-- 011-create-table-orders (before, safe): Create the table orders.
create table "print_shop"."orders" (
  "id" uuid not null,
  "status" text collate "C" not null default 'draft',
  "total" numeric(20,2) not null,
  "pages" integer not null,
  "note" text collate "C",
  "customer_id" uuid,
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "deleted_at" timestamptz,
  "version" integer not null default 1,
  constraint "orders__pkey" primary key ("id"),
  constraint "orders__status__check" check ("status" in ('draft', 'paid', 'printing', 'refused', 'shipped'))
);
create index "orders__customer_id__idx" on "print_shop"."orders" ("customer_id");
create index "orders__created_by__idx" on "print_shop"."orders" ("created_by");
create index "orders__created_at__id__idx" on "print_shop"."orders" ("created_at", "id") where "deleted_at" is null;
grant select, insert, update, delete on "print_shop"."orders" to "print_shop_worker";

-- 012-create-table-parcels (before, safe): Create the table parcels.
create table "print_shop"."parcels" (
  "id" uuid not null,
  "order_id" uuid not null,
  "code" text collate "C" not null,
  "weight" numeric(8,3),
  "labels" text[],
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "parcels__pkey" primary key ("id"),
  constraint "parcels__code__check" check (char_length("code") <= 255)
);
create unique index "parcels__code__key" on "print_shop"."parcels" ("code");
create index "parcels__order_id__idx" on "print_shop"."parcels" ("order_id");
create index "parcels__created_by__idx" on "print_shop"."parcels" ("created_by");
create index "parcels__created_at__id__idx" on "print_shop"."parcels" ("created_at", "id");
grant select, insert, update, delete on "print_shop"."parcels" to "print_shop_worker";

-- 013-reference-sessions-user-id (before, safe): Add a foreign key from sessions.user_id to users.
alter table "print_shop"."sessions" add constraint "sessions__user_id__fkey" foreign key ("user_id") references "print_shop"."users" ("id") on delete cascade;

-- 014-reference-workers--steps-run-id (before, safe): Add a foreign key from workers__steps.run_id to workers__runs.
alter table "print_shop"."workers__steps" add constraint "workers__steps__run_id__fkey" foreign key ("run_id") references "print_shop"."workers__runs" ("id") on delete cascade;

-- 015-reference-workers--attempts-run-id (before, safe): Add a foreign key from workers__attempts.run_id to workers__runs.
alter table "print_shop"."workers__attempts" add constraint "workers__attempts__run_id__fkey" foreign key ("run_id") references "print_shop"."workers__runs" ("id") on delete cascade;

-- 016-reference-workers--waits-run-id (before, safe): Add a foreign key from workers__waits.run_id to workers__runs.
alter table "print_shop"."workers__waits" add constraint "workers__waits__run_id__fkey" foreign key ("run_id") references "print_shop"."workers__runs" ("id") on delete cascade;

-- 017-reference-orders-customer-id (before, safe): Add a foreign key from orders.customer_id to users.
alter table "print_shop"."orders" add constraint "orders__customer_id__fkey" foreign key ("customer_id") references "print_shop"."users" ("id");

-- 018-reference-orders-created-by (before, safe): Add a foreign key from orders.created_by to users.
alter table "print_shop"."orders" add constraint "orders__created_by__fkey" foreign key ("created_by") references "print_shop"."users" ("id");

-- 019-reference-parcels-order-id (before, safe): Add a foreign key from parcels.order_id to orders.
alter table "print_shop"."parcels" add constraint "parcels__order_id__fkey" foreign key ("order_id") references "print_shop"."orders" ("id");

-- 020-reference-parcels-created-by (before, safe): Add a foreign key from parcels.created_by to users.
alter table "print_shop"."parcels" add constraint "parcels__created_by__fkey" foreign key ("created_by") references "print_shop"."users" ("id");

commit;
