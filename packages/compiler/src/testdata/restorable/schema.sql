-- The schema of restorable, for PostgreSQL 15 and newer.
begin;

create role "restorable_owner" nologin;
create role "restorable_worker" nologin;
grant "restorable_owner" to current_user;
create schema "restorable" authorization "restorable_owner";
grant usage on schema "restorable" to "restorable_worker";
set local role "restorable_owner";

-- 001-create-table-users (before, safe): Create the table users.
create table "restorable"."users" (
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
create unique index "users__email__key" on "restorable"."users" ("email");
create index "users__created_at__id__idx" on "restorable"."users" ("created_at", "id");
grant select, insert, update, delete on "restorable"."users" to "restorable_worker";

-- 002-create-table-sessions (before, safe): Create the table sessions.
create table "restorable"."sessions" (
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
create unique index "sessions__refresh_hash__key" on "restorable"."sessions" ("refresh_hash");
create index "sessions__user_id__idx" on "restorable"."sessions" ("user_id");
create index "sessions__family__idx" on "restorable"."sessions" ("family");
grant select, insert, update, delete on "restorable"."sessions" to "restorable_worker";

-- 003-create-table-audit-log (before, safe): Create the table audit_log.
create table "restorable"."audit_log" (
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
create index "audit_log__entity__record_id__idx" on "restorable"."audit_log" ("entity", "record_id");
create index "audit_log__request_id__idx" on "restorable"."audit_log" ("request_id");
grant select, insert on "restorable"."audit_log" to "restorable_worker";

-- 004-create-table-idempotency--replies (before, safe): Create the table idempotency__replies.
create table "restorable"."idempotency__replies" (
  "principal" text collate "C" not null,
  "key" text collate "C" not null,
  "fingerprint" text collate "C" not null,
  "status" integer not null,
  "location" text collate "C",
  "body" text collate "C" not null,
  "created_at" timestamptz not null default now(),
  constraint "idempotency__replies__pkey" primary key ("principal", "key")
);
create index "idempotency__replies__created_at__idx" on "restorable"."idempotency__replies" ("created_at");
grant select, insert, update, delete on "restorable"."idempotency__replies" to "restorable_worker";

-- 005-create-table-pages (before, safe): Create the table pages.
create table "restorable"."pages" (
  "id" uuid not null,
  "path" text collate "C" not null,
  "title" text collate "C" not null,
  "body" text collate "C",
  "parent_id" uuid,
  "status" text collate "C" not null default 'draft',
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "deleted_at" timestamptz,
  "version" integer not null default 1,
  "_search" tsvector,
  constraint "pages__pkey" primary key ("id"),
  constraint "pages__path__check" check (char_length("path") <= 255),
  constraint "pages__title__check" check (char_length("title") <= 255),
  constraint "pages__status__check" check ("status" in ('draft', 'live')),
  constraint "pages__no_root_parent__rule" check ((("path" collate "C" <> '/') or ("parent_id" is null)))
);
create unique index "pages__path__key" on "restorable"."pages" ("path") where "deleted_at" is null;
create index "pages__parent_id__idx" on "restorable"."pages" ("parent_id");
create index "pages__created_by__idx" on "restorable"."pages" ("created_by");
create index "pages__status__created_at__id__idx" on "restorable"."pages" ("status", "created_at", "id") where "deleted_at" is null;
create index "pages__created_at__id__idx" on "restorable"."pages" ("created_at", "id") where "deleted_at" is null;
create index "pages__title__body__gin" on "restorable"."pages" using gin ("_search");
create or replace function "restorable"."search__pages"() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $body$
begin
  if tg_op = 'INSERT' or row(new."title", new."body") is distinct from row(old."title", old."body") then
    new."_search" := ((select to_tsvector('simple', (case when octet_length(_written) = length(_written) then lower((_written) collate "default") else replace(replace(replace(replace(translate(lower((normalize(regexp_replace(normalize(_written, nfd), '[\u0300-\u036f]', '', 'g'), nfc)) collate "default"), 'øłđðħıŧŋſς', 'olddhitnsσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th') end)) from (select left(concat_ws(' ', new."title", new."body"), 100000) as _written offset 0) _d));
  end if;
  return new;
end $body$;
create or replace trigger "search__pages" before insert or update on "restorable"."pages" for each row execute function "restorable"."search__pages"();
grant select, insert, update, delete on "restorable"."pages" to "restorable_worker";

-- 006-create-table-visits (before, safe): Create the table visits.
create table "restorable"."visits" (
  "id" uuid not null,
  "page_id" uuid not null,
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "visits__pkey" primary key ("id")
);
create index "visits__page_id__idx" on "restorable"."visits" ("page_id");
create index "visits__created_by__idx" on "restorable"."visits" ("created_by");
create index "visits__created_at__id__idx" on "restorable"."visits" ("created_at", "id");
grant select, insert, update, delete on "restorable"."visits" to "restorable_worker";

-- 007-reference-sessions-user-id (before, safe): Add a foreign key from sessions.user_id to users.
alter table "restorable"."sessions" add constraint "sessions__user_id__fkey" foreign key ("user_id") references "restorable"."users" ("id") on delete cascade;

-- 008-reference-pages-parent-id (before, safe): Add a foreign key from pages.parent_id to pages.
alter table "restorable"."pages" add constraint "pages__parent_id__fkey" foreign key ("parent_id") references "restorable"."pages" ("id");

-- 009-reference-pages-created-by (before, safe): Add a foreign key from pages.created_by to users.
alter table "restorable"."pages" add constraint "pages__created_by__fkey" foreign key ("created_by") references "restorable"."users" ("id");

-- 010-reference-visits-page-id (before, safe): Add a foreign key from visits.page_id to pages.
alter table "restorable"."visits" add constraint "visits__page_id__fkey" foreign key ("page_id") references "restorable"."pages" ("id");

-- 011-reference-visits-created-by (before, safe): Add a foreign key from visits.created_by to users.
alter table "restorable"."visits" add constraint "visits__created_by__fkey" foreign key ("created_by") references "restorable"."users" ("id");

commit;
