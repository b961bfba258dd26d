-- The schema of every-type, for PostgreSQL 15 and newer.
begin;

create role "every_type_owner" nologin;
create role "every_type_worker" nologin;
grant "every_type_owner" to current_user;
create schema "every_type" authorization "every_type_owner";
grant usage on schema "every_type" to "every_type_worker";
set local role "every_type_owner";

-- 001-create-table-users (before, safe): Create the table users.
create table "every_type"."users" (
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
create unique index "users__email__key" on "every_type"."users" ("email");
create index "users__created_at__id__idx" on "every_type"."users" ("created_at", "id");
grant select, insert, update, delete on "every_type"."users" to "every_type_worker";

-- 002-create-table-sessions (before, safe): Create the table sessions.
create table "every_type"."sessions" (
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
create unique index "sessions__refresh_hash__key" on "every_type"."sessions" ("refresh_hash");
create index "sessions__user_id__idx" on "every_type"."sessions" ("user_id");
create index "sessions__family__idx" on "every_type"."sessions" ("family");
grant select, insert, update, delete on "every_type"."sessions" to "every_type_worker";

-- 003-create-table-audit-log (before, safe): Create the table audit_log.
create table "every_type"."audit_log" (
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
create index "audit_log__entity__record_id__idx" on "every_type"."audit_log" ("entity", "record_id");
create index "audit_log__request_id__idx" on "every_type"."audit_log" ("request_id");
grant select, insert on "every_type"."audit_log" to "every_type_worker";

-- 004-create-table-idempotency--replies (before, safe): Create the table idempotency__replies.
create table "every_type"."idempotency__replies" (
  "principal" text collate "C" not null,
  "key" text collate "C" not null,
  "fingerprint" text collate "C" not null,
  "status" integer not null,
  "location" text collate "C",
  "body" text collate "C" not null,
  "created_at" timestamptz not null default now(),
  constraint "idempotency__replies__pkey" primary key ("principal", "key")
);
create index "idempotency__replies__created_at__idx" on "every_type"."idempotency__replies" ("created_at");
grant select, insert, update, delete on "every_type"."idempotency__replies" to "every_type_worker";

-- 005-create-table-organizations (before, safe): Create the table organizations.
create table "every_type"."organizations" (
  "id" uuid not null,
  "name" text collate "C" not null,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "organizations__pkey" primary key ("id"),
  constraint "organizations__name__check" check (char_length("name") >= 1 and char_length("name") <= 255)
);
create index "organizations__created_at__id__idx" on "every_type"."organizations" ("created_at", "id");
grant select, insert, update, delete on "every_type"."organizations" to "every_type_worker";

-- 006-create-table-memberships (before, safe): Create the table memberships.
create table "every_type"."memberships" (
  "organization_id" uuid not null,
  "user_id" uuid not null,
  "role" text collate "C" not null,
  "chosen" boolean not null default false,
  "created_at" timestamptz not null default now(),
  constraint "memberships__pkey" primary key ("organization_id", "user_id"),
  constraint "memberships__role__check" check ("role" in ('admin', 'member', 'owner'))
);
create unique index "memberships__chosen__key" on "every_type"."memberships" ("user_id") where "chosen";
create index "memberships__user_id__organization_id__idx" on "every_type"."memberships" ("user_id", "organization_id");
grant select, insert, update, delete on "every_type"."memberships" to "every_type_worker";

-- 007-create-table-organizations--invitations (before, safe): Create the table organizations__invitations.
create table "every_type"."organizations__invitations" (
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
create unique index "organizations__invitations__token_hash__key" on "every_type"."organizations__invitations" ("token_hash");
create index "organizations__invitations__organization_id__idx" on "every_type"."organizations__invitations" ("organization_id");
create index "organizations__invitations__invited_by__idx" on "every_type"."organizations__invitations" ("invited_by");
grant select, insert, update, delete on "every_type"."organizations__invitations" to "every_type_worker";

-- 008-create-table-samples (before, safe): Create the table samples.
create table "every_type"."samples" (
  "id" uuid not null,
  "a_string" text collate "C" not null default 'Ab',
  "a_text" text collate "C",
  "a_markdown" text collate "C",
  "a_slug" text collate "C" not null,
  "an_email" text collate "C",
  "a_url" text collate "C",
  "a_phone" text collate "C",
  "a_color" text collate "C",
  "an_int" integer not null default 0,
  "a_bigint" bigint not null default '9007199254740993'::bigint,
  "a_float" double precision,
  "a_decimal" numeric(10,2) not null default '12.50'::numeric(10,2),
  "a_money" numeric(20,2),
  "a_yen" numeric(20,0),
  "a_percent" numeric(7,4) not null default 12.5,
  "a_date" date not null default (now() at time zone 'UTC')::date,
  "a_time" time(6),
  "a_datetime" timestamptz,
  "a_duration" interval not null default 'PT1H30M'::interval,
  "a_timezone" text collate "C",
  "a_bool" boolean not null default false,
  "an_enum" text collate "C" not null default 'one',
  "an_enum_set" text[] not null default (chr(123) || '"red"' || chr(125))::text[],
  "a_country" text collate "C",
  "a_currency" text collate "C",
  "a_locale" text collate "C",
  "a_json" jsonb,
  "an_object" jsonb,
  "a_plate" jsonb,
  "a_list" text[] not null default (chr(123) || '"a","b"' || chr(125))::text[],
  "numbers" integer[],
  "moments" timestamptz[],
  "prices" numeric(10,2)[],
  "things" jsonb,
  "an_i18n" jsonb,
  "a_point" point,
  "a_vector" vector(3),
  "a_uuid" uuid,
  "a_user" uuid,
  "an_org" uuid,
  "a_ref" uuid,
  "a_secret" text collate "C",
  "a_hidden" text collate "C",
  "a_served" integer not null default 1,
  "an_old" text collate "C",
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  "_search" tsvector,
  constraint "samples__pkey" primary key ("id"),
  constraint "samples__a_string__check" check (char_length("a_string") >= 2 and char_length("a_string") <= 40),
  constraint "samples__a_string__pattern" check ("a_string" ~ ('^[A-Z' || chr(92) || chr(123) || chr(92) || chr(125) || ']')),
  constraint "samples__a_slug__check" check (char_length("a_slug") <= 255),
  constraint "samples__an_email__check" check (char_length("an_email") <= 254),
  constraint "samples__a_url__check" check (char_length("a_url") <= 2048),
  constraint "samples__an_int__check" check ("an_int" >= '-5' and "an_int" <= '5'),
  constraint "samples__a_float__check" check ("a_float" >= '-1.5' and "a_float" <= '1000000000'),
  constraint "samples__a_float__finite" check ("a_float" > '-infinity' and "a_float" < 'infinity'),
  constraint "samples__a_decimal__check" check ("a_decimal" >= '0.01'),
  constraint "samples__a_percent__check" check ("a_percent" >= '0' and "a_percent" <= '100'),
  constraint "samples__an_enum__check" check ("an_enum" in ('one', 'two')),
  constraint "samples__an_enum_set__check" check ("an_enum_set" <@ array['blue', 'green', 'red']::text[]),
  constraint "samples__a_plate__members" check (not jsonb_path_exists("a_plate", ('$."number" ? (!(@ like_regex "^[A-Z]' || chr(123) || '1,3' || chr(125) || chr(92) || chr(92) || '-[0-9]+$" flag "s"))')::jsonpath)),
  constraint "samples__a_list__size" check (cardinality("a_list") <= 5),
  constraint "samples__a_hidden__check" check (char_length("a_hidden") <= 255)
);
create unique index "samples__a_slug__key" on "every_type"."samples" ("a_slug");
create index "samples__a_datetime__id__idx" on "every_type"."samples" ("a_datetime", "id");
create index "samples__a_user__idx" on "every_type"."samples" ("a_user");
create index "samples__an_org__idx" on "every_type"."samples" ("an_org");
create index "samples__a_ref__idx" on "every_type"."samples" ("a_ref");
create index "samples__created_by__idx" on "every_type"."samples" ("created_by");
create index "samples__created_at__id__idx" on "every_type"."samples" ("created_at", "id");
create index "samples__a_text__an_i18n__gin" on "every_type"."samples" using gin ("_search");
create or replace function "every_type"."search__samples"() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $body$
begin
  if tg_op = 'INSERT' or row(new."a_text", new."an_i18n") is distinct from row(old."a_text", old."an_i18n") then
    new."_search" := ((select to_tsvector('simple', (case when octet_length(_written) = length(_written) then lower((_written) collate "default") else replace(replace(replace(replace(translate(lower((normalize(regexp_replace(normalize(_written, nfd), '[\u0300-\u036f]', '', 'g'), nfc)) collate "default"), 'øłđðħıŧŋſς', 'olddhitnsσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th') end)) from (select left(concat_ws(' ', new."a_text", (select string_agg(_text, ' ') from jsonb_each_text(new."an_i18n") as _texts(_language, _text))), 100000) as _written offset 0) _d));
  end if;
  return new;
end $body$;
create or replace trigger "search__samples" before insert or update on "every_type"."samples" for each row execute function "every_type"."search__samples"();
grant select, insert, update, delete on "every_type"."samples" to "every_type_worker";

-- 009-create-table-samples--some-refs (before, safe): Create the table samples__some_refs.
create table "every_type"."samples__some_refs" (
  "sample_id" uuid not null,
  "other_id" uuid not null,
  constraint "samples__some_refs__pkey" primary key ("sample_id", "other_id")
);
create index "samples__some_refs__other_id__idx" on "every_type"."samples__some_refs" ("other_id");
grant select, insert, delete on "every_type"."samples__some_refs" to "every_type_worker";

-- 010-reference-sessions-user-id (before, safe): Add a foreign key from sessions.user_id to users.
alter table "every_type"."sessions" add constraint "sessions__user_id__fkey" foreign key ("user_id") references "every_type"."users" ("id") on delete cascade;

-- 011-reference-memberships-organization-id (before, safe): Add a foreign key from memberships.organization_id to organizations.
alter table "every_type"."memberships" add constraint "memberships__organization_id__fkey" foreign key ("organization_id") references "every_type"."organizations" ("id") on delete cascade;

-- 012-reference-memberships-user-id (before, safe): Add a foreign key from memberships.user_id to users.
alter table "every_type"."memberships" add constraint "memberships__user_id__fkey" foreign key ("user_id") references "every_type"."users" ("id") on delete cascade;

-- 013-reference-organizations--invitations-organization-id (before, safe): Add a foreign key from organizations__invitations.organization_id to organizations.
alter table "every_type"."organizations__invitations" add constraint "organizations__invitations__organization_id__fkey" foreign key ("organization_id") references "every_type"."organizations" ("id") on delete cascade;

-- 014-reference-organizations--invitations-invited-by (before, safe): Add a foreign key from organizations__invitations.invited_by to users.
alter table "every_type"."organizations__invitations" add constraint "organizations__invitations__invited_by__fkey" foreign key ("invited_by") references "every_type"."users" ("id") on delete cascade;

-- 015-reference-samples-a-user (before, safe): Add a foreign key from samples.a_user to users.
alter table "every_type"."samples" add constraint "samples__a_user__fkey" foreign key ("a_user") references "every_type"."users" ("id");

-- 016-reference-samples-an-org (before, safe): Add a foreign key from samples.an_org to organizations.
alter table "every_type"."samples" add constraint "samples__an_org__fkey" foreign key ("an_org") references "every_type"."organizations" ("id");

-- 017-reference-samples-a-ref (before, safe): Add a foreign key from samples.a_ref to samples.
alter table "every_type"."samples" add constraint "samples__a_ref__fkey" foreign key ("a_ref") references "every_type"."samples" ("id");

-- 018-reference-samples-created-by (before, safe): Add a foreign key from samples.created_by to users.
alter table "every_type"."samples" add constraint "samples__created_by__fkey" foreign key ("created_by") references "every_type"."users" ("id");

-- 019-reference-samples--some-refs-sample-id (before, safe): Add a foreign key from samples__some_refs.sample_id to samples.
alter table "every_type"."samples__some_refs" add constraint "samples__some_refs__sample_id__fkey" foreign key ("sample_id") references "every_type"."samples" ("id") on delete cascade;

-- 020-reference-samples--some-refs-other-id (before, safe): Add a foreign key from samples__some_refs.other_id to samples.
alter table "every_type"."samples__some_refs" add constraint "samples__some_refs__other_id__fkey" foreign key ("other_id") references "every_type"."samples" ("id") on delete cascade;

commit;
