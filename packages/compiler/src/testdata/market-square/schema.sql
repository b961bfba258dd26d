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

-- 004-create-table-listings (before, safe): Create the table listings.
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

-- 005-create-table-inquiries (before, safe): Create the table inquiries.
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

-- 006-reference-sessions-user-id (before, safe): Let sessions.user_id refer to users.
alter table "market_square"."sessions" add constraint "sessions__user_id__fkey" foreign key ("user_id") references "market_square"."users" ("id") on delete cascade;

-- 007-reference-listings-created-by (before, safe): Let listings.created_by refer to users.
alter table "market_square"."listings" add constraint "listings__created_by__fkey" foreign key ("created_by") references "market_square"."users" ("id");

-- 008-reference-inquiries-listing-id (before, safe): Let inquiries.listing_id refer to listings.
alter table "market_square"."inquiries" add constraint "inquiries__listing_id__fkey" foreign key ("listing_id") references "market_square"."listings" ("id");

-- 009-reference-inquiries-created-by (before, safe): Let inquiries.created_by refer to users.
alter table "market_square"."inquiries" add constraint "inquiries__created_by__fkey" foreign key ("created_by") references "market_square"."users" ("id");

commit;
