-- The schema of field-types, for PostgreSQL 15 and newer.
begin;

create role "field_types_owner" nologin;
create role "field_types_worker" nologin;
grant "field_types_owner" to current_user;
create schema "field_types" authorization "field_types_owner";
grant usage on schema "field_types" to "field_types_worker";
set local role "field_types_owner";

-- 001-create-table-users (before, safe): Create the table users.
create table "field_types"."users" (
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
create unique index "users__email__key" on "field_types"."users" ("email");
create index "users__created_at__id__idx" on "field_types"."users" ("created_at", "id");
grant select, insert, update, delete on "field_types"."users" to "field_types_worker";

-- 002-create-table-sessions (before, safe): Create the table sessions.
create table "field_types"."sessions" (
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
create unique index "sessions__refresh_hash__key" on "field_types"."sessions" ("refresh_hash");
create index "sessions__user_id__idx" on "field_types"."sessions" ("user_id");
create index "sessions__family__idx" on "field_types"."sessions" ("family");
grant select, insert, update, delete on "field_types"."sessions" to "field_types_worker";

-- 003-create-table-audit-log (before, safe): Create the table audit_log.
create table "field_types"."audit_log" (
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
create index "audit_log__entity__record_id__idx" on "field_types"."audit_log" ("entity", "record_id");
create index "audit_log__request_id__idx" on "field_types"."audit_log" ("request_id");
grant select, insert on "field_types"."audit_log" to "field_types_worker";

-- 004-create-table-idempotency--replies (before, safe): Create the table idempotency__replies.
create table "field_types"."idempotency__replies" (
  "principal" text collate "C" not null,
  "key" text collate "C" not null,
  "fingerprint" text collate "C" not null,
  "status" integer not null,
  "location" text collate "C",
  "body" text collate "C" not null,
  "created_at" timestamptz not null default now(),
  constraint "idempotency__replies__pkey" primary key ("principal", "key")
);
create index "idempotency__replies__created_at__idx" on "field_types"."idempotency__replies" ("created_at");
grant select, insert, update, delete on "field_types"."idempotency__replies" to "field_types_worker";

-- 005-create-table-boxes (before, safe): Create the table boxes.
create table "field_types"."boxes" (
  "id" uuid not null,
  "label" text collate "C" not null,
  "note" text collate "C",
  "short" text collate "C" not null default ('a ' || chr(123) || 'row' || chr(125)),
  "body" text collate "C" not null,
  "remark" text collate "C",
  "contact" text collate "C" not null,
  "copy_to" text collate "C",
  "amount" integer not null default (-1),
  "weight" integer,
  "open" boolean not null default false,
  "sealed" boolean,
  "due_at" timestamptz not null,
  "opened_at" timestamptz,
  "noted_at" timestamptz not null default now(),
  "token" uuid not null,
  "batch" uuid,
  "size" text collate "C" not null default 'small',
  "color" text collate "C",
  "owner_id" uuid not null,
  "packer_id" uuid,
  "parent_id" uuid,
  "shelf_id" uuid not null,
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "boxes__pkey" primary key ("id"),
  constraint "boxes__label__check" check (char_length("label") <= 255),
  constraint "boxes__note__check" check (char_length("note") <= 255),
  constraint "boxes__short__check" check (char_length("short") <= 8),
  constraint "boxes__contact__check" check (char_length("contact") <= 254),
  constraint "boxes__copy_to__check" check (char_length("copy_to") <= 254),
  constraint "boxes__size__check" check ("size" in ('large', 'small')),
  constraint "boxes__color__check" check ("color" in ('green', 'red'))
);
create unique index "boxes__label__key" on "field_types"."boxes" ("label");
create index "boxes__owner_id__idx" on "field_types"."boxes" ("owner_id");
create index "boxes__packer_id__idx" on "field_types"."boxes" ("packer_id");
create index "boxes__parent_id__idx" on "field_types"."boxes" ("parent_id");
create index "boxes__shelf_id__idx" on "field_types"."boxes" ("shelf_id");
create index "boxes__created_by__idx" on "field_types"."boxes" ("created_by");
create index "boxes__created_at__id__idx" on "field_types"."boxes" ("created_at", "id");
grant select, insert, update, delete on "field_types"."boxes" to "field_types_worker";

-- 006-create-table-shelves (before, safe): Create the table shelves.
create table "field_types"."shelves" (
  "id" uuid not null,
  "code" text collate "C" not null,
  "created_at" timestamptz not null default now(),
  "created_by" uuid,
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "shelves__pkey" primary key ("id"),
  constraint "shelves__code__check" check (char_length("code") <= 255)
);
create index "shelves__created_by__idx" on "field_types"."shelves" ("created_by");
create index "shelves__created_at__id__idx" on "field_types"."shelves" ("created_at", "id");
grant select, insert, update, delete on "field_types"."shelves" to "field_types_worker";

-- 007-reference-sessions-user-id (before, safe): Add a foreign key from sessions.user_id to users.
alter table "field_types"."sessions" add constraint "sessions__user_id__fkey" foreign key ("user_id") references "field_types"."users" ("id") on delete cascade;

-- 008-reference-boxes-owner-id (before, safe): Add a foreign key from boxes.owner_id to users.
alter table "field_types"."boxes" add constraint "boxes__owner_id__fkey" foreign key ("owner_id") references "field_types"."users" ("id");

-- 009-reference-boxes-packer-id (before, safe): Add a foreign key from boxes.packer_id to users.
alter table "field_types"."boxes" add constraint "boxes__packer_id__fkey" foreign key ("packer_id") references "field_types"."users" ("id");

-- 010-reference-boxes-parent-id (before, safe): Add a foreign key from boxes.parent_id to boxes.
alter table "field_types"."boxes" add constraint "boxes__parent_id__fkey" foreign key ("parent_id") references "field_types"."boxes" ("id");

-- 011-reference-boxes-shelf-id (before, safe): Add a foreign key from boxes.shelf_id to shelves.
alter table "field_types"."boxes" add constraint "boxes__shelf_id__fkey" foreign key ("shelf_id") references "field_types"."shelves" ("id");

-- 012-reference-boxes-created-by (before, safe): Add a foreign key from boxes.created_by to users.
alter table "field_types"."boxes" add constraint "boxes__created_by__fkey" foreign key ("created_by") references "field_types"."users" ("id");

-- 013-reference-shelves-created-by (before, safe): Add a foreign key from shelves.created_by to users.
alter table "field_types"."shelves" add constraint "shelves__created_by__fkey" foreign key ("created_by") references "field_types"."users" ("id");

commit;
