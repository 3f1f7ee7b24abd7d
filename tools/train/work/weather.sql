-- Measurements over time: bulk inserts, range scans, groups, windows, math.

-- schema
create table station (
    station_no integer primary key,
    station_name text not null,
    height real
);
create table reading (
    station_no integer not null,
    taken integer not null,
    celsius real,
    hectopascal real,
    wind real,
    sky text
);

-- add_station
insert into station values (?, ?, ?);

-- add_reading
insert into reading values (?, ?, ?, ?, ?, ?);

-- begin
begin;

-- commit
commit;

-- index_by_station
create index reading_station on reading (station_no, taken);

-- index_by_sky
create index reading_sky on reading (sky, celsius) where sky is not null;

-- day_of_station
select taken, celsius, wind from reading
    where station_no = ? and taken >= ? and taken < ? order by taken;

-- latest
select celsius, sky from reading where station_no = ? order by taken desc limit 1;

-- hours
select taken / 3600 as hour, min(celsius), max(celsius), count(*) from reading
    where station_no = ? group by hour;

-- monthly
select strftime('%Y-%m', taken, 'unixepoch') as month, round(avg(celsius), 2), sum(wind > 10)
    from reading where station_no in (?, ?, ?) group by month order by month;

-- by_sky
select sky, count(celsius), avg(hectopascal), sum(wind * wind) from reading group by sky;

-- by_height
select cast(height / 250 as integer) * 250 as zone, avg(celsius), group_concat(distinct sky)
    from reading join station using (station_no) group by zone;

-- by_minute
select taken / 60 % 1440, max(wind), count(*) from reading group by 1;

-- change
select taken, celsius - lag(celsius) over hourly, lead(celsius, 2, 0.0) over hourly
    from reading where station_no = ? window hourly as (order by taken);

-- smooth
select station_no, taken, avg(celsius) over (
    partition by station_no order by taken rows between 5 preceding and 5 following)
    from reading where station_no between ? and ?;

-- windiest
select * from (
    select station_no, wind, rank() over (partition by station_no order by wind desc) as place,
        ntile(4) over (order by wind), sum(wind) over (partition by station_no)
    from reading where taken < ?)
    where place <= 3;

-- running
select row_number() over (order by taken), sum(wind) over (
    order by taken range between 600 preceding and current row), first_value(sky) over (order by taken)
    from reading where station_no = ?;

-- wind_chill
select max(13.12 + 0.6215 * celsius - 11.37 * pow(wind, 0.16) + 0.3965 * celsius * pow(wind, 0.16)),
    avg(sqrt(abs(celsius)) + exp(wind / -20.0)) from reading where wind > 1.3;

-- saturation
select sum(6.112 * exp(17.62 * celsius / (243.12 + celsius))), min(log10(hectopascal)),
    max(log(2, hectopascal)), avg(degrees(atan2(wind, celsius)))
    from reading where celsius > -40;

-- rounded
select count(distinct round(celsius)), sum(floor(wind)), sum(ceil(wind)), sum(mod(wind, 3.0)),
    sum(sign(celsius)), sum(tanh(celsius / 30) * cos(radians(wind))) from reading;

-- coldest
select station_no, taken, celsius from reading order by celsius, taken limit 100;

-- all_by_pressure
select hectopascal, taken from reading order by hectopascal desc;

-- outliers
select count(*) from reading as one where celsius > 1.6 * (
    select avg(celsius) from reading as near
    where near.station_no = one.station_no and near.taken between one.taken - 900 and one.taken + 900)
    and station_no = ?;

-- middle
select median(celsius), percentile(wind, 90) from reading where station_no < ?;

-- correct
update reading set celsius = celsius + ? where station_no = ? and taken between ? and ?;

-- forget
delete from reading where station_no = ? and taken < ?;

-- count
select count(*) from reading;
