-- A workshop's database with every kind of object that an import reads.
create schema workshop;
create schema elsewhere;
create schema auth;
create table auth.users (id uuid primary key default gen_random_uuid(), email text);
create function auth.uid() returns uuid language sql stable as 'select null::uuid';
create table elsewhere.machines (id int primary key, note text);
set search_path = workshop;

create type repair_state as enum ('open', 'in work', 'done');
create type never_used as enum ('a');
create domain percentage as int check (value >= 0 and value <= 100);
create domain short_code as varchar(8) not null check (value ~ '^[A-Z]+$');
create type size as (width int, height int);

create table users (
  id uuid primary key default gen_random_uuid(),
  email text not null unique,
  password_hash text not null,
  phone varchar(30),
  created_at timestamptz not null default now()
);

create table machines (
  id serial primary key,
  hall int not null,
  place int not null,
  name varchar(80) not null,
  spare boolean not null default false,
  load percentage not null default 0,
  code short_code,
  former int references elsewhere.machines,
  unique (hall, place) include (name),
  unique nulls not distinct (former, hall),
  unique nulls not distinct (place, name)
);
create unique index one_spare_per_hall on machines (hall) where spare;
create index machines_by_lower_name on machines (lower(name));
create index machines_by_name on machines (name desc);

create table skills (id uuid primary key default gen_random_uuid(), name text not null unique);
create table machine_skills (
  machine_id int not null references machines on delete cascade,
  skill_id uuid not null references skills on delete cascade,
  primary key (machine_id, skill_id)
);

create table repairs (
  id uuid primary key default gen_random_uuid(),
  machine_id int not null references machines on delete cascade,
  spare_machine_id int references machines on update cascade on delete set null,
  state repair_state not null default 'open',
  urgent char(1) not null default 'n',
  cost numeric(10, 2) not null default 0,
  takes interval,
  started_on date not null default current_date,
  ended_on date,
  tags text[] not null default '{}',
  details jsonb default '{"parts": []}',
  reporter_id uuid references users on delete set null,
  created_at timestamptz not null default now(),
  hall int,
  place int,
  doubled numeric generated always as (cost * 2) stored,
  constraint cost_is_positive check (cost >= 0),
  constraint ends_after_start check (ended_on is null or ended_on >= started_on),
  constraint known_urgency check (upper(urgent) in ('Y', 'N')),
  constraint not_a_palindrome check (reverse(urgent) <> 'x'),
  constraint done_has_end check (state <> 'done' or ended_on is not null),
  constraint at_place foreign key (hall, place) references machines (hall, place),
  constraint once exclude using gist (daterange(started_on, ended_on) with &&)
);
create index repairs_by_start on repairs (started_on);
create index repairs_by_tag on repairs using gin (tags);
comment on constraint cost_is_positive on repairs is 'Nobody is paid to be helped';
alter table repairs enable row level security;
create policy own_rows on repairs using (reporter_id = auth.uid());
create policy all_may_look on repairs for select using (true);
create policy by_skill on repairs for select using (machine_id in (select machine_id from machine_skills));
create view open_repairs as select * from repairs where state = 'open';
create function touch() returns trigger language plpgsql as 'begin return new; end';
create trigger touch_repairs before update on repairs for each row execute function touch();

create table notes (id uuid primary key default gen_random_uuid(), owner_id uuid not null references auth.users, text text);
alter table notes enable row level security;
create policy own on notes to public using (owner_id = (select auth.uid())) with check (owner_id = auth.uid());
create policy not_empty on notes as restrictive using (text is not null);

create table readings (machine_id int not null, at timestamptz not null, value float8, primary key (machine_id, at))
  partition by range (at);
create table readings_old partition of readings for values from (minvalue) to ('2020-01-01');
create table readings_new partition of readings for values from ('2020-01-01') to (maxvalue);
alter table readings_old add foreign key (machine_id) references machines on delete cascade;
alter table readings_new add foreign key (machine_id) references machines on delete cascade;

create table tools (id uuid primary key, name text not null);
create table power_tools (watts int not null) inherits (tools);

create table odd_types (
  id bigint primary key generated always as identity,
  shape circle,
  blob bytea,
  address inet,
  amount numeric not null,
  small smallint not null default 1,
  at timestamp not null default now()
);
comment on table odd_types is 'What other databases hold: "all" of it';
comment on column odd_types.address is 'Where # it is';
grant select on odd_types to pg_monitor;
