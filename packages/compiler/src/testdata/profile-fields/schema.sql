-- The schema of profile-fields, for PostgreSQL 15 and newer.
begin;

create role "profile_fields_owner" nologin;
create role "profile_fields_worker" nologin;
grant "profile_fields_owner" to current_user;
create schema "profile_fields" authorization "profile_fields_owner";
grant usage on schema "profile_fields" to "profile_fields_worker";
set local role "profile_fields_owner";

-- 001-create-table-users (before, safe): Create the table users.
create table "profile_fields"."users" (
  "id" uuid not null,
  "email" text collate "C" not null,
  "name" text collate "C",
  "password_hash" text collate "C",
  "roles" text[] not null default '{}',
  "display_name" text collate "C",
  "team" text collate "C" not null default 'north',
  "clearance" integer not null default 0,
  "manager_id" uuid,
  "phone" text collate "C",
  "username" text collate "C",
  "desk" integer,
  "floor" integer,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  "_search" tsvector,
  constraint "users__pkey" primary key ("id"),
  constraint "users__email__check" check (char_length("email") <= 254),
  constraint "users__name__check" check (char_length("name") <= 255),
  constraint "users__display_name__check" check (char_length("display_name") <= 255),
  constraint "users__team__check" check ("team" in ('north', 'south')),
  constraint "users__username__check" check (char_length("username") >= 2 and char_length("username") <= 40)
);
create unique index "users__email__key" on "profile_fields"."users" ("email");
create unique index "users__username__key" on "profile_fields"."users" ("username");
create unique index "users__desk__team__key" on "profile_fields"."users" ("desk", "team");
create index "users__floor__id__idx" on "profile_fields"."users" ("floor", "id");
create index "users__manager_id__idx" on "profile_fields"."users" ("manager_id");
create index "users__team__idx" on "profile_fields"."users" ("team");
create index "users__created_at__id__idx" on "profile_fields"."users" ("created_at", "id");
create index "users__username__gin" on "profile_fields"."users" using gin ("_search");
create or replace function "profile_fields"."search__users"() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $body$
begin
  if tg_op = 'INSERT' or row(new."username") is distinct from row(old."username") then
    new."_search" := ((select to_tsvector('simple', (case when octet_length(_written) = length(_written) then lower((_written) collate "default") else replace(replace(replace(replace(translate(lower((normalize(regexp_replace(normalize(_written, nfd), '[\u0300-\u036f]', '', 'g'), nfc)) collate "default"), 'øłđðħıŧŋſς', 'olddhitnsσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th') end)) from (select left(concat_ws(' ', new."username"), 100000) as _written offset 0) _d));
  end if;
  return new;
end $body$;
create or replace trigger "search__users" before insert or update on "profile_fields"."users" for each row execute function "profile_fields"."search__users"();
grant select, insert, update, delete on "profile_fields"."users" to "profile_fields_worker";

-- 002-create-table-sessions (before, safe): Create the table sessions.
create table "profile_fields"."sessions" (
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
create unique index "sessions__refresh_hash__key" on "profile_fields"."sessions" ("refresh_hash");
create index "sessions__user_id__idx" on "profile_fields"."sessions" ("user_id");
create index "sessions__family__idx" on "profile_fields"."sessions" ("family");
grant select, insert, update, delete on "profile_fields"."sessions" to "profile_fields_worker";

-- 003-create-table-audit-log (before, safe): Create the table audit_log.
create table "profile_fields"."audit_log" (
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
create index "audit_log__entity__record_id__idx" on "profile_fields"."audit_log" ("entity", "record_id");
create index "audit_log__request_id__idx" on "profile_fields"."audit_log" ("request_id");
grant select, insert on "profile_fields"."audit_log" to "profile_fields_worker";

-- 004-create-table-idempotency--replies (before, safe): Create the table idempotency__replies.
create table "profile_fields"."idempotency__replies" (
  "principal" text collate "C" not null,
  "key" text collate "C" not null,
  "fingerprint" text collate "C" not null,
  "status" integer not null,
  "location" text collate "C",
  "body" text collate "C" not null,
  "created_at" timestamptz not null default now(),
  constraint "idempotency__replies__pkey" primary key ("principal", "key")
);
create index "idempotency__replies__created_at__idx" on "profile_fields"."idempotency__replies" ("created_at");
grant select, insert, update, delete on "profile_fields"."idempotency__replies" to "profile_fields_worker";

-- 005-create-table-reports (before, safe): Create the table reports.
create table "profile_fields"."reports" (
  "id" uuid not null,
  "title" text collate "C" not null,
  "level" integer not null default 0,
  "owner_id" uuid not null,
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "reports__pkey" primary key ("id"),
  constraint "reports__title__check" check (char_length("title") <= 255)
);
create index "reports__owner_id__idx" on "profile_fields"."reports" ("owner_id");
create index "reports__created_by__idx" on "profile_fields"."reports" ("created_by");
create index "reports__created_at__id__idx" on "profile_fields"."reports" ("created_at", "id");
grant select, insert, update, delete on "profile_fields"."reports" to "profile_fields_worker";

-- 006-reference-users-manager-id (before, safe): Add a foreign key from users.manager_id to users.
alter table "profile_fields"."users" add constraint "users__manager_id__fkey" foreign key ("manager_id") references "profile_fields"."users" ("id");

-- 007-reference-sessions-user-id (before, safe): Add a foreign key from sessions.user_id to users.
alter table "profile_fields"."sessions" add constraint "sessions__user_id__fkey" foreign key ("user_id") references "profile_fields"."users" ("id") on delete cascade;

-- 008-reference-reports-owner-id (before, safe): Add a foreign key from reports.owner_id to users.
alter table "profile_fields"."reports" add constraint "reports__owner_id__fkey" foreign key ("owner_id") references "profile_fields"."users" ("id");

-- 009-reference-reports-created-by (before, safe): Add a foreign key from reports.created_by to users.
alter table "profile_fields"."reports" add constraint "reports__created_by__fkey" foreign key ("created_by") references "profile_fields"."users" ("id");

commit;
