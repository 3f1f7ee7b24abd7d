-- Places on a map: R-tree, polygons, distances.

-- schema
create table place (
    place_no integer primary key,
    place_name text,
    lat real,
    lon real,
    people integer
);
create virtual table place_box using rtree (
    place_no, west, east, south, north, +kind text);
create virtual table shape using geopoly (shape_name);

-- begin
begin;

-- commit
commit;

-- add_place
insert into place values (?, ?, ?, ?, ?);

-- add_box
insert into place_box values (?, ?, ?, ?, ?, ?);

-- move_box
update place_box set west = west + ?2, east = east + ?2 where place_no = ?1;

-- drop_box
delete from place_box where place_no = ?;

-- add_shape
insert into shape (shape_name, _shape) values (?, geopoly_regular(?, ?, ?, ?));

-- inside
select place_no, kind from place_box where west >= ? and east <= ? and south >= ? and north <= ?;

-- touching
select count(*) from place_box where east >= ? and west <= ? and north >= ? and south <= ?;

-- named_inside
select place_name, people from place_box join place using (place_no)
    where west >= ?1 and east <= ?2 and south >= ?3 and north <= ?4 order by people desc limit 10;

-- nearest
select place_name, 6371.0 * 2 * asin(sqrt(pow(sin(radians(lat - ?1) / 2), 2)
    + cos(radians(?1)) * cos(radians(lat)) * pow(sin(radians(lon - ?2) / 2), 2))) as km
    from place order by km limit 5;

-- compass
select count(*), avg(degrees(atan2(lon - ?2, lat - ?1))), sum(hypot_like) from (
    select lat, lon, sqrt((lat - ?1) * (lat - ?1) + (lon - ?2) * (lon - ?2)) as hypot_like from place);

-- shapes_at
select shape_name, round(geopoly_area(_shape), 3) from shape
    where geopoly_overlap(_shape, geopoly_regular(?, ?, ?, 6));

-- density
select cast(lat / 10 as int) as band, sum(people), max(place_name) from place group by band;

-- check
select rtreecheck('place_box');
