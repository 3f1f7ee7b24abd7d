-- A company: trees, joins of every kind, recursion, sets.

-- schema
create table team (team_no integer primary key, team_name text unique, floor_no int);
create table person (
    person_no integer primary key,
    boss int references person,
    full_name text,
    team_no int,
    salary int,
    hired text
);
create index person_boss on person (boss);
create table skill (person_no int, skill_name text, level int);
create table shift (person_no int, week int, hours real);
create table road (from_town text, to_town text, km int, primary key (from_town, to_town))
    without rowid;

-- begin
begin;

-- commit
commit;

-- add_team
insert into team values (?, ?, ?);

-- add_person
insert into person values (?, ?, ?, ?, ?, ?);

-- add_skill
insert into skill values (?, ?, ?);

-- add_shift
insert into shift values (?, ?, ?);

-- add_road
insert or ignore into road values (?, ?, ?);

-- analyze
analyze;

-- subordinates
with recursive below (person_no, depth) as (
    values (?, 0)
    union all
    select person.person_no, depth + 1 from person join below on person.boss = below.person_no)
    select count(*), max(depth) from below;

-- bosses
with recursive above (person_no, boss, full_name, path) as (
    select person_no, boss, full_name, full_name from person where person_no = ?
    union all
    select person.person_no, person.boss, person.full_name, person.full_name || '/' || above.path
    from person, above where person.person_no = above.boss)
    select path from above where boss is null;

-- chart
with recursive chart (person_no, full_name, depth) as (
    select person_no, full_name, 0 from person where boss is null
    union all
    select person.person_no, person.full_name, depth + 1 from person join chart
        on person.boss = chart.person_no where depth < 4
    order by 3 desc, 2)
    select substr('..........', 1, depth * 2) || full_name from chart;

-- reachable
with recursive seen (town) as (
    select ?
    union
    select to_town from road, seen where from_town = town)
    select count(*) from seen;

-- loan
with recursive loan (month, owed) as (
    values (0, ?1)
    union all
    select month + 1, round(owed * (1 + ?2 / 12) - ?3, 2) from loan where owed > 0 and month < 50000)
    select max(month), min(owed) from loan;

-- workdays
with recursive calendar (day) as (
    select date(?1)
    union all
    select date(day, '+1 day') from calendar where day < date(?1, '+2 years'))
    select strftime('%m', day), count(*) from calendar
    where strftime('%w', day) between '1' and '5' group by 1;

-- factors
with recursive rest (n, f) as (
    values (?, 2)
    union all
    select iif(n % f, n, n / f), iif(n % f, f + 1, f) from rest where f * f <= n)
    select group_concat(f) from (select f, n from rest where n % f = 0);

-- salaries_of_team
select team_name, count(person_no), sum(salary), max(hired) from team left join person using (team_no)
    group by team.team_no;

-- hours_by_key
select total(hours), count(*) from shift join person using (person_no) where salary > ?;

-- hours_and_names
select full_name, team_name, week, hours from shift, person, team
    where shift.person_no = person.person_no and person.team_no = team.team_no and week = ?;

-- boss_names
select one.full_name, two.full_name from person as one left join person as two
    on two.person_no = one.boss where one.salary > coalesce(two.salary, 0);

-- skills_without_index
select team_no, skill_name, avg(level) from person join skill on skill.person_no = person.person_no
    group by team_no, skill_name having count(*) > 2;

-- unskilled
select full_name from person left join skill using (person_no)
    where skill.person_no is null and hired > ?;

-- same_boss
select count(*) from person as one join person as two on one.boss = two.boss and
    one.person_no < two.person_no where one.boss = ?;

-- clever
select person_no from skill where skill_name = ? intersect
    select person_no from skill where skill_name = ? except
    select person_no from shift where hours < 3;

-- either
select full_name from person where team_no in (select team_no from team where floor_no = ?)
    union select full_name from person where person_no in (
        select person_no from skill where level > 8 and skill_name like ?);

-- richest_of_team
select team_name, (select full_name from person where person.team_no = team.team_no
    order by salary desc, full_name limit 1) as richest from team order by team_name;

-- share
select full_name, salary * 1.0 / sum(salary) over (partition by team_no) as part,
    dense_rank() over (partition by team_no order by salary desc) from person
    order by part desc limit 40;

-- bands
select case when salary < 30000 then 'low' when salary < 60000 then 'middle' else 'high' end as band,
    count(*), count(distinct team_no) from person group by band;

-- raise
update person set salary = salary + bonus from (
    select person_no as who, count(*) * 10 as bonus from skill group by person_no)
    where who = person_no and team_no = ?;

-- count
select count(*) from person;
