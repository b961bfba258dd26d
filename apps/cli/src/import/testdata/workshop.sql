-- A workshop's database: every kind of thing that an import meets.
create schema workshop;
set search_path = workshop;

create type repair_state as enum ('open', 'in work', 'done');

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
  unique (hall, place)
);
create unique index one_spare_per_hall on machines (hall) where spare;

create table skills (id uuid primary key default gen_random_uuid(), name text not null unique);
create table machine_skills (
  machine_id int not null references machines on delete cascade,
  skill_id uuid not null references skills on delete cascade,
  primary key (machine_id, skill_id)
);

create table repairs (
  id uuid primary key default gen_random_uuid(),
  machine_id int not null references machines on delete cascade,
  state repair_state not null default 'open',
  cost numeric(10, 2) not null default 0,
  takes interval,
  started_on date not null default current_date,
  tags text[] not null default '{}',
  details jsonb,
  reporter_id uuid references users on delete set null,
  created_at timestamptz not null default now(),
  constraint cost_is_positive check (cost >= 0)
);
create index repairs_by_start on repairs (started_on);
alter table repairs enable row level security;
create policy own_rows on repairs using (reporter_id is not null);
create view open_repairs as select * from repairs where state = 'open';
create function touch() returns trigger language plpgsql as 'begin return new; end';
create trigger touch_repairs before update on repairs for each row execute function touch();

create table odd_types (
  id bigint primary key generated always as identity,
  shape circle,
  blob bytea,
  address inet,
  amount numeric not null,
  doubled numeric generated always as (amount * 2) stored,
  at timestamp not null default now()
);
comment on table odd_types is 'What other databases hold';
