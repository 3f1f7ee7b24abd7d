-- A shop: small transactions with prepared statements, constraints, triggers, views, savepoints.

-- schema
create table product (
    product_id integer primary key,
    sku text not null unique,
    title text not null,
    cents integer not null check (cents > 0),
    in_stock integer not null default 0
);
create table buyer (
    buyer_id integer primary key,
    login text not null,
    city text,
    spent integer not null default 0
);
create unique index buyer_login on buyer (login);
create table purchase (
    purchase_id integer primary key autoincrement,
    buyer_id integer not null references buyer on delete cascade,
    day integer not null,
    state text not null default 'open'
);
create index purchase_buyer on purchase (buyer_id, day);
create table line (
    purchase_id integer not null references purchase on delete cascade,
    product_id integer not null references product,
    amount integer not null,
    primary key (purchase_id, product_id)
) without rowid;
create index line_product on line (product_id);
create table basket (
    login text not null,
    sku text not null,
    amount integer not null,
    primary key (login, sku)
);
create table price_change (product_id integer, was integer, is_now integer);
create trigger product_price after update of cents on product when old.cents <> new.cents begin
    insert into price_change values (old.product_id, old.cents, new.cents);
end;
create trigger line_sold after insert on line begin
    update product set in_stock = in_stock - new.amount where product_id = new.product_id;
    update buyer set spent = spent + new.amount * (
        select cents from product where product_id = new.product_id)
    where buyer_id = (select buyer_id from purchase where purchase_id = new.purchase_id);
end;
create view open_purchase as
    select purchase.purchase_id, login, day, count(line.product_id) as things,
        sum(amount * cents) as total
    from purchase join buyer using (buyer_id)
        left join line using (purchase_id)
        left join product using (product_id)
    where state = 'open'
    group by purchase.purchase_id;

-- foreign_keys
pragma foreign_keys = on;

-- begin
begin immediate;

-- commit
commit;

-- add_product
insert into product (product_id, sku, title, cents, in_stock) values (?, ?, ?, ?, ?);

-- add_buyer
insert into buyer (login, city) values (?1, ?2);

-- find_buyer
select buyer_id, city, spent from buyer where login = ?;

-- find_sku
select product_id, title, cents from product where sku = ?;

-- product_of
select title, cents, in_stock from product where product_id = ?;

-- put_in_basket
insert into basket (login, sku, amount) values (?, ?, ?)
    on conflict (login, sku) do update set amount = amount + excluded.amount
    where amount < 50;

-- replace_in_basket
insert or replace into basket values (?, ?, ?);

-- empty_basket
delete from basket where login = ?;

-- start_purchase
insert into purchase (buyer_id, day) values (?, ?) returning purchase_id;

-- add_line
insert or ignore into line values (?, ?, ?);

-- ship
update purchase set state = 'sent' where purchase_id = ? and state = 'open';

-- cancel
delete from purchase where purchase_id = ?;

-- raise_price
update product set cents = cents + ?2 where product_id between ?1 and ?1 + 4;

-- restock
update product set in_stock = in_stock + 40 where in_stock < ?;

-- savepoint
savepoint attempt;

-- undo
rollback to attempt;

-- keep
release attempt;

-- purchases_of_buyer
select purchase_id, day, state from purchase where buyer_id = ? order by day desc limit 5;

-- bill
select title, amount, cents, amount * cents from line join product using (product_id)
    where purchase_id = ? order by title;

-- open_of_day
select * from open_purchase where day = ?;

-- best_sellers
select product.sku, sum(line.amount) as sold from line
    join purchase on purchase.purchase_id = line.purchase_id
    join product on product.product_id = line.product_id
    where purchase.day between ? and ?
    group by product.sku having sold > 3 order by sold desc, product.sku limit 20;

-- never_sold
select sku from product where not exists (
    select * from line where line.product_id = product.product_id);

-- cities
select city, count(*), max(spent), total(spent) from buyer
    where spent > 0 group by city order by 2 desc;

-- lines
select count(*) from line;

-- stock_left
select sum(in_stock) from product;

-- orphans
select count(*) from line left join purchase using (purchase_id) where purchase.buyer_id is null;
