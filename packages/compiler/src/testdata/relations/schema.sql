-- The schema of relations, for PostgreSQL 15 and newer.
begin;

create role "relations_owner" nologin;
create role "relations_worker" nologin;
grant "relations_owner" to current_user;
create schema "relations" authorization "relations_owner";
grant usage on schema "relations" to "relations_worker";
set local role "relations_owner";

-- 001-create-table-users (before, safe): Create the table users.
create table "relations"."users" (
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
create unique index "users__email__key" on "relations"."users" ("email");
create index "users__created_at__id__idx" on "relations"."users" ("created_at", "id");
grant select, insert, update, delete on "relations"."users" to "relations_worker";

-- 002-create-table-sessions (before, safe): Create the table sessions.
create table "relations"."sessions" (
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
create unique index "sessions__refresh_hash__key" on "relations"."sessions" ("refresh_hash");
create index "sessions__user_id__idx" on "relations"."sessions" ("user_id");
create index "sessions__family__idx" on "relations"."sessions" ("family");
grant select, insert, update, delete on "relations"."sessions" to "relations_worker";

-- 003-create-table-audit-log (before, safe): Create the table audit_log.
create table "relations"."audit_log" (
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
create index "audit_log__entity__record_id__idx" on "relations"."audit_log" ("entity", "record_id");
create index "audit_log__request_id__idx" on "relations"."audit_log" ("request_id");
grant select, insert on "relations"."audit_log" to "relations_worker";

-- 004-create-table-idempotency--replies (before, safe): Create the table idempotency__replies.
create table "relations"."idempotency__replies" (
  "principal" text collate "C" not null,
  "key" text collate "C" not null,
  "fingerprint" text collate "C" not null,
  "status" integer not null,
  "location" text collate "C",
  "body" text collate "C" not null,
  "created_at" timestamptz not null default now(),
  constraint "idempotency__replies__pkey" primary key ("principal", "key")
);
create index "idempotency__replies__created_at__idx" on "relations"."idempotency__replies" ("created_at");
grant select, insert, update, delete on "relations"."idempotency__replies" to "relations_worker";

-- 005-create-table-albums (before, safe): Create the table albums.
create table "relations"."albums" (
  "id" uuid not null,
  "title" text collate "C" not null,
  "cover_id" uuid,
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "albums__pkey" primary key ("id"),
  constraint "albums__title__check" check (char_length("title") <= 255)
);
create index "albums__cover_id__idx" on "relations"."albums" ("cover_id");
create index "albums__created_by__idx" on "relations"."albums" ("created_by");
create index "albums__created_at__id__idx" on "relations"."albums" ("created_at", "id");
grant select, insert, update, delete on "relations"."albums" to "relations_worker";

-- 006-create-table-albums--tags (before, safe): Create the table albums__tags.
create table "relations"."albums__tags" (
  "album_id" uuid not null,
  "tag_id" uuid not null,
  constraint "albums__tags__pkey" primary key ("album_id", "tag_id")
);
create index "albums__tags__tag_id__idx" on "relations"."albums__tags" ("tag_id");
grant select, insert, delete on "relations"."albums__tags" to "relations_worker";

-- 007-create-table-albums--similar (before, safe): Create the table albums__similar.
create table "relations"."albums__similar" (
  "album_id" uuid not null,
  "other_id" uuid not null,
  constraint "albums__similar__pkey" primary key ("album_id", "other_id")
);
create index "albums__similar__other_id__idx" on "relations"."albums__similar" ("other_id");
grant select, insert, delete on "relations"."albums__similar" to "relations_worker";

-- 008-create-table-photos (before, safe): Create the table photos.
create table "relations"."photos" (
  "id" uuid not null,
  "album_id" uuid not null,
  "visible" boolean not null default false,
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "photos__pkey" primary key ("id")
);
create index "photos__album_id__idx" on "relations"."photos" ("album_id");
create index "photos__created_by__idx" on "relations"."photos" ("created_by");
create index "photos__created_at__id__idx" on "relations"."photos" ("created_at", "id");
grant select, insert, update, delete on "relations"."photos" to "relations_worker";

-- 009-create-table-comments (before, safe): Create the table comments.
create table "relations"."comments" (
  "id" uuid not null,
  "photo_id" uuid,
  "author_id" uuid not null,
  "text" text collate "C" not null,
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "comments__pkey" primary key ("id")
);
create index "comments__photo_id__idx" on "relations"."comments" ("photo_id");
create index "comments__author_id__idx" on "relations"."comments" ("author_id");
create index "comments__created_by__idx" on "relations"."comments" ("created_by");
create index "comments__created_at__id__idx" on "relations"."comments" ("created_at", "id");
grant select, insert, update, delete on "relations"."comments" to "relations_worker";

-- 010-create-table-tags (before, safe): Create the table tags.
create table "relations"."tags" (
  "id" uuid not null,
  "name" text collate "C" not null,
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "tags__pkey" primary key ("id"),
  constraint "tags__name__check" check (char_length("name") <= 255)
);
create unique index "tags__name__key" on "relations"."tags" ("name");
create index "tags__created_by__idx" on "relations"."tags" ("created_by");
create index "tags__created_at__id__idx" on "relations"."tags" ("created_at", "id");
grant select, insert, update, delete on "relations"."tags" to "relations_worker";

-- 011-reference-sessions-user-id (before, safe): Add a foreign key from sessions.user_id to users.
alter table "relations"."sessions" add constraint "sessions__user_id__fkey" foreign key ("user_id") references "relations"."users" ("id") on delete cascade;

-- 012-reference-albums-cover-id (before, safe): Add a foreign key from albums.cover_id to photos.
alter table "relations"."albums" add constraint "albums__cover_id__fkey" foreign key ("cover_id") references "relations"."photos" ("id");

-- 013-reference-albums-created-by (before, safe): Add a foreign key from albums.created_by to users.
alter table "relations"."albums" add constraint "albums__created_by__fkey" foreign key ("created_by") references "relations"."users" ("id");

-- 014-reference-albums--tags-album-id (before, safe): Add a foreign key from albums__tags.album_id to albums.
alter table "relations"."albums__tags" add constraint "albums__tags__album_id__fkey" foreign key ("album_id") references "relations"."albums" ("id") on delete cascade;

-- 015-reference-albums--tags-tag-id (before, safe): Add a foreign key from albums__tags.tag_id to tags.
alter table "relations"."albums__tags" add constraint "albums__tags__tag_id__fkey" foreign key ("tag_id") references "relations"."tags" ("id") on delete cascade;

-- 016-reference-albums--similar-album-id (before, safe): Add a foreign key from albums__similar.album_id to albums.
alter table "relations"."albums__similar" add constraint "albums__similar__album_id__fkey" foreign key ("album_id") references "relations"."albums" ("id") on delete cascade;

-- 017-reference-albums--similar-other-id (before, safe): Add a foreign key from albums__similar.other_id to albums.
alter table "relations"."albums__similar" add constraint "albums__similar__other_id__fkey" foreign key ("other_id") references "relations"."albums" ("id") on delete cascade;

-- 018-reference-photos-album-id (before, safe): Add a foreign key from photos.album_id to albums.
alter table "relations"."photos" add constraint "photos__album_id__fkey" foreign key ("album_id") references "relations"."albums" ("id");

-- 019-reference-photos-created-by (before, safe): Add a foreign key from photos.created_by to users.
alter table "relations"."photos" add constraint "photos__created_by__fkey" foreign key ("created_by") references "relations"."users" ("id");

-- 020-reference-comments-photo-id (before, safe): Add a foreign key from comments.photo_id to photos.
alter table "relations"."comments" add constraint "comments__photo_id__fkey" foreign key ("photo_id") references "relations"."photos" ("id");

-- 021-reference-comments-author-id (before, safe): Add a foreign key from comments.author_id to users.
alter table "relations"."comments" add constraint "comments__author_id__fkey" foreign key ("author_id") references "relations"."users" ("id");

-- 022-reference-comments-created-by (before, safe): Add a foreign key from comments.created_by to users.
alter table "relations"."comments" add constraint "comments__created_by__fkey" foreign key ("created_by") references "relations"."users" ("id");

-- 023-reference-tags-created-by (before, safe): Add a foreign key from tags.created_by to users.
alter table "relations"."tags" add constraint "tags__created_by__fkey" foreign key ("created_by") references "relations"."users" ("id");

commit;
