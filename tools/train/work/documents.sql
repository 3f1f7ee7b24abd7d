-- Documents: JSON as text and as binary, made, taken apart, changed, indexed.

-- schema
create table device (device_no integer primary key, maker text, model text, watts int, price real);
create table report (report_no integer primary key, body text check (json_valid(body)));
create table packed (report_no integer primary key, body blob);

-- begin
begin;

-- commit
commit;

-- add_device
insert into device values (?, ?, ?, ?, ?);

-- add_report
insert into report (body) values (?);

-- pack
insert into packed select report_no, jsonb(body) from report;

-- index
create index report_place on report (json_extract(body, '$.place'));

-- in_place
select report_no from report where json_extract(body, '$.place') = ?;

-- fields
select body ->> '$.place', body -> '$.tags', body ->> '$.values[2]' from report
    where report_no between ? and ?;

-- packed_fields
select count(body ->> 'place'), total(body ->> '$.detail.level') from packed;

-- loud
select count(*), max(json_extract(body, '$.detail.level')) from report
    where json_extract(body, '$.detail.name') >= ?;

-- tags
select each.value, count(*) from report, json_each(report.body, '$.tags') as each
    group by each.value order by 2 desc;

-- sums
select report_no, sum(each.atom) from packed, json_each(body, '$.values') as each
    group by report_no;

-- leaves
select sum(tree.type = 'integer'), count(distinct fullkey) from report, json_tree(body) as tree
    where report_no between ? and ?;

-- device_objects
select json_object('maker', maker, 'model', model, 'power', json_object('watts', watts, 'price', price))
    from device;

-- device_lists
select sum(json_array_length(json_array(maker, model, watts, price))) from device;

-- by_maker
select maker, json_group_array(model), json_group_object(model, watts) from device group by maker;

-- round_trip
select count(*) from device where json_object('n', device_no, 'p', price) ->> 'n' = device_no;

-- change
update report set body = json_set(body, '$.detail.level', ?1, '$.seen', json('true'))
    where report_no % 16 = ?2;

-- patch
update packed set body = jsonb_patch(body, ?1) where report_no % 16 = ?2;

-- strip
select total(length(json_remove(body, '$.tags[0]', '$.detail'))) from report;

-- insert_in_list
select max(length(json_insert(body, '$.values[#]', 7))), min(json_type(body, '$.place')),
    sum(json_valid(body)) from report;

-- pretty
select max(length(json_pretty(body))), min(json_quote(report_no)) from report where report_no < ?;

-- count
select count(*) from report;
