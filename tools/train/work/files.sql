-- Databases in files: commits, logs and journals, checkpoints, blobs, maintenance.

-- schema
create table parcel (
    parcel_no integer primary key,
    code text unique,
    town text,
    grams int,
    label blob
);
create index parcel_town on parcel (town);
create table event (parcel_no int, stamp int, what text);

-- wal
pragma journal_mode = wal;

-- rollback_journal
pragma journal_mode = truncate;

-- normal
pragma synchronous = normal;

-- small_cache
pragma cache_size = -300;

-- begin
begin immediate;

-- commit
commit;

-- rollback
rollback;

-- add_parcel
insert into parcel values (?, ?, ?, ?, ?);

-- add_event
insert into event values (?, ?, ?);

-- move_parcel
update parcel set town = ?, grams = grams + 1 where code = ?;

-- parcel_of
select town, grams, label from parcel where parcel_no = ?;

-- parcel_by_code
select parcel_no, town, length(label) from parcel where code = ?;

-- in_town
select count(*), max(grams) from parcel where town = ?;

-- events_of
select what, stamp from event where parcel_no = ?;

-- index_events
create index event_parcel on event (parcel_no, stamp);

-- checkpoint
pragma wal_checkpoint(passive);

-- truncate
pragma wal_checkpoint(truncate);

-- attach
attach database ? as store;

-- store_table
create table store.kept (parcel_no integer primary key, town text, grams int);

-- store_copy
insert into store.kept select parcel_no, town, grams from main.parcel where parcel_no % 2;

-- store_join
select count(*), sum(kept.grams) from store.kept join main.parcel using (parcel_no);

-- detach
detach database store;

-- add_column
alter table event add column place text default 'depot';

-- rename_column
alter table event rename column what to action;

-- drop_column
alter table event drop column place;

-- rename_back
alter table event rename column action to what;

-- analyze
analyze;

-- vacuum
vacuum;

-- check
pragma integrity_check;

-- quick_check
pragma quick_check;

-- columns
select count(*) from pragma_table_info('parcel');

-- count
select count(*) from parcel;

-- remove_some
delete from parcel where parcel_no % 5 = 2;
