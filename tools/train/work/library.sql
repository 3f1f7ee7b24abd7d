-- A library's shelves: big sorts, indexes on filled tables, groups, distinct, copies of tables.

-- schema
create table book (
    book_no integer primary key,
    title text,
    author text,
    year int,
    pages int,
    weight real
);

-- begin
begin;

-- commit
commit;

-- add_book
insert into book values (?, ?, ?, ?, ?, ?);

-- index_titles
create index book_title on book (title);

-- index_authors
create index book_author on book (author, year desc);

-- index_weights
create unique index book_weight on book (weight, book_no);

-- drop_titles
drop index book_title;

-- titles_down
select title, pages from book order by title collate nocase desc, pages;

-- by_author_and_title
select author, title, year from book order by author, title;

-- by_pages
select book_no, pages from book order by pages, weight desc;

-- by_weight
select weight from book order by weight + 0 desc;

-- page_of_titles
select title from book where title > ? order by title limit 50;

-- of_author
select title, year from book where author = ? and year between 1950 and 1990 order by year desc;

-- between_titles
select count(*), sum(pages) from book where title between ? and ?;

-- heaviest
select title, weight from book order by weight desc limit 30;

-- authors
select count(distinct author), count(distinct year) from book;

-- years
select year, count(*), avg(pages), min(title) from book group by year;

-- thickness
select pages / 50 as thickness, total(weight), avg(weight) from book group by thickness;

-- productive
select author, count(*) as books from book group by author order by books desc, author limit 25;

-- copy
create table old_book as select book_no, upper(title) as title, year, pages * 2 as leaves,
    weight / 2.5 as pounds from book where year < 1960;

-- copy_more
insert into old_book select book_no, author || ': ' || title, year % 100, pages + book_no * 3 % 17,
    weight * 0.4 from book where year >= 1960;

-- copied
select count(*), sum(leaves), sum(pounds), max(title) from old_book;

-- drop_copy
drop table old_book;

-- words_in_titles
select sum(title like '%er %'), sum(instr(title, 'an') > 0), max(lower(author)),
    total(length(title) + length(author)) from book;

-- neighbours
select count(*) from book as one join book as two on two.book_no = one.pages * 7 + 1;

-- count
select count(*) from book;
