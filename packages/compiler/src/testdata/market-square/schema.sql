-- The schema of market-square, for PostgreSQL 15 and newer.
begin;

create role "market_square_owner" nologin;
create role "market_square_worker" nologin;
grant "market_square_owner" to current_user;
create schema "market_square" authorization "market_square_owner";
grant usage on schema "market_square" to "market_square_worker";
set local role "market_square_owner";

-- 001-create-table-users (before, safe): Create the table users.
create table "market_square"."users" (
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
create unique index "users__email__key" on "market_square"."users" ("email");
create index "users__created_at__id__idx" on "market_square"."users" ("created_at", "id");
grant select, insert, update, delete on "market_square"."users" to "market_square_worker";

-- 002-create-table-sessions (before, safe): Create the table sessions.
create table "market_square"."sessions" (
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
create unique index "sessions__refresh_hash__key" on "market_square"."sessions" ("refresh_hash");
create index "sessions__user_id__idx" on "market_square"."sessions" ("user_id");
create index "sessions__family__idx" on "market_square"."sessions" ("family");
grant select, insert, update, delete on "market_square"."sessions" to "market_square_worker";

-- 003-create-table-audit-log (before, safe): Create the table audit_log.
create table "market_square"."audit_log" (
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
create index "audit_log__entity__record_id__idx" on "market_square"."audit_log" ("entity", "record_id");
create index "audit_log__request_id__idx" on "market_square"."audit_log" ("request_id");
grant select, insert on "market_square"."audit_log" to "market_square_worker";

-- 004-create-table-idempotency--replies (before, safe): Create the table idempotency__replies.
create table "market_square"."idempotency__replies" (
  "principal" text collate "C" not null,
  "key" text collate "C" not null,
  "fingerprint" text collate "C" not null,
  "status" integer not null,
  "location" text collate "C",
  "body" text collate "C" not null,
  "created_at" timestamptz not null default now(),
  constraint "idempotency__replies__pkey" primary key ("principal", "key")
);
create index "idempotency__replies__created_at__idx" on "market_square"."idempotency__replies" ("created_at");
grant select, insert, update, delete on "market_square"."idempotency__replies" to "market_square_worker";

-- 005-create-table-workers--listeners (before, safe): Create the table workers__listeners.
create table "market_square"."workers__listeners" (
  "event" text collate "C" not null,
  constraint "workers__listeners__pkey" primary key ("event")
);
grant select on "market_square"."workers__listeners" to "market_square_worker";

-- 006-create-table-workers--events (before, safe): Create the table workers__events.
create table "market_square"."workers__events" (
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
create unique index "workers__events__seq__key" on "market_square"."workers__events" ("seq");
create index "workers__events__at__id__idx" on "market_square"."workers__events" ("at", "id");
create index "workers__events__request_id__idx" on "market_square"."workers__events" ("request_id");
create index "workers__events__record_id__seq__idx" on "market_square"."workers__events" ("record_id", "seq");
grant select, insert, update, delete on "market_square"."workers__events" to "market_square_worker";

-- 007-create-table-workers--runs (before, safe): Create the table workers__runs.
create table "market_square"."workers__runs" (
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
create unique index "workers__runs__workflow__event_id__key" on "market_square"."workers__runs" ("workflow", "event_id");
create index "workers__runs__created_at__id__idx" on "market_square"."workers__runs" ("created_at", "id");
create index "workers__runs__event_id__idx" on "market_square"."workers__runs" ("event_id");
create index "workers__runs__caused_by__idx" on "market_square"."workers__runs" ("caused_by");
create index "workers__runs__request_id__idx" on "market_square"."workers__runs" ("request_id");
create index "workers__runs__order_key__seq__idx" on "market_square"."workers__runs" ("order_key", "seq");
create index "workers__runs__ended_at__idx" on "market_square"."workers__runs" ("ended_at");
grant select, insert, update, delete on "market_square"."workers__runs" to "market_square_worker";

-- 008-create-table-workers--steps (before, safe): Create the table workers__steps.
create table "market_square"."workers__steps" (
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
grant select, insert, update, delete on "market_square"."workers__steps" to "market_square_worker";

-- 009-create-table-workers--attempts (before, safe): Create the table workers__attempts.
create table "market_square"."workers__attempts" (
  "run_id" uuid not null,
  "path" text collate "C" not null,
  "attempt" integer not null,
  "started_at" timestamptz not null,
  "ended_at" timestamptz,
  "error" jsonb,
  constraint "workers__attempts__pkey" primary key ("run_id", "path", "attempt")
);
grant select, insert, update, delete on "market_square"."workers__attempts" to "market_square_worker";

-- 010-create-table-workers--waits (before, safe): Create the table workers__waits.
create table "market_square"."workers__waits" (
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
create index "workers__waits__event__member__wanted__idx" on "market_square"."workers__waits" ("event", "member", "wanted") where "answer" is null;
grant select, insert, update, delete on "market_square"."workers__waits" to "market_square_worker";

-- 011-create-table-listings (before, safe): Create the table listings.
create table "market_square"."listings" (
  "id" uuid not null,
  "title" text collate "C" not null,
  "description" text collate "C",
  "price" integer not null,
  "status" text collate "C" not null default 'draft',
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "listings__pkey" primary key ("id"),
  constraint "listings__title__check" check (char_length("title") <= 255),
  constraint "listings__status__check" check ("status" in ('active', 'draft', 'sold'))
);
create index "listings__created_by__idx" on "market_square"."listings" ("created_by");
create index "listings__status__created_at__id__idx" on "market_square"."listings" ("status", "created_at", "id");
create index "listings__created_at__id__idx" on "market_square"."listings" ("created_at", "id");
grant select, insert, update, delete on "market_square"."listings" to "market_square_worker";

-- 012-create-table-inquiries (before, safe): Create the table inquiries.
create table "market_square"."inquiries" (
  "id" uuid not null,
  "listing_id" uuid not null,
  "name" text collate "C" not null,
  "email" text collate "C" not null,
  "message" text collate "C" not null,
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "inquiries__pkey" primary key ("id"),
  constraint "inquiries__name__check" check (char_length("name") <= 255),
  constraint "inquiries__email__check" check (char_length("email") <= 254)
);
create index "inquiries__listing_id__idx" on "market_square"."inquiries" ("listing_id");
create index "inquiries__created_by__idx" on "market_square"."inquiries" ("created_by");
create index "inquiries__created_at__id__idx" on "market_square"."inquiries" ("created_at", "id");
grant select, insert, update, delete on "market_square"."inquiries" to "market_square_worker";

-- 013-reference-sessions-user-id (before, safe): Add a foreign key from sessions.user_id to users.
alter table "market_square"."sessions" add constraint "sessions__user_id__fkey" foreign key ("user_id") references "market_square"."users" ("id") on delete cascade;

-- 014-reference-workers--steps-run-id (before, safe): Add a foreign key from workers__steps.run_id to workers__runs.
alter table "market_square"."workers__steps" add constraint "workers__steps__run_id__fkey" foreign key ("run_id") references "market_square"."workers__runs" ("id") on delete cascade;

-- 015-reference-workers--attempts-run-id (before, safe): Add a foreign key from workers__attempts.run_id to workers__runs.
alter table "market_square"."workers__attempts" add constraint "workers__attempts__run_id__fkey" foreign key ("run_id") references "market_square"."workers__runs" ("id") on delete cascade;

-- 016-reference-workers--waits-run-id (before, safe): Add a foreign key from workers__waits.run_id to workers__runs.
alter table "market_square"."workers__waits" add constraint "workers__waits__run_id__fkey" foreign key ("run_id") references "market_square"."workers__runs" ("id") on delete cascade;

-- 017-reference-listings-created-by (before, safe): Add a foreign key from listings.created_by to users.
alter table "market_square"."listings" add constraint "listings__created_by__fkey" foreign key ("created_by") references "market_square"."users" ("id");

-- 018-reference-inquiries-listing-id (before, safe): Add a foreign key from inquiries.listing_id to listings.
alter table "market_square"."inquiries" add constraint "inquiries__listing_id__fkey" foreign key ("listing_id") references "market_square"."listings" ("id");

-- 019-reference-inquiries-created-by (before, safe): Add a foreign key from inquiries.created_by to users.
alter table "market_square"."inquiries" add constraint "inquiries__created_by__fkey" foreign key ("created_by") references "market_square"."users" ("id");

commit;
