-- Mails: full-text search, string functions, patterns.

-- schema
create table mail (
    mail_no integer primary key,
    sender text collate nocase,
    subject text,
    content text
);
create virtual table mail_words using fts5 (
    subject, content, content = 'mail', content_rowid = 'mail_no', prefix = '3');
create virtual table stem using fts5 (note, tokenize = 'porter unicode61');
create virtual table piece using fts5 (address, tokenize = 'trigram');
create trigger mail_added after insert on mail begin
    insert into mail_words (rowid, subject, content)
        values (new.mail_no, new.subject, new.content);
end;
create trigger mail_gone after delete on mail begin
    insert into mail_words (mail_words, rowid, subject, content)
        values ('delete', old.mail_no, old.subject, old.content);
end;

-- begin
begin;

-- commit
commit;

-- add_mail
insert into mail values (?, ?, ?, ?);

-- add_note
insert into stem values (?);

-- add_address
insert into piece values (?);

-- drop_mail
delete from mail where mail_no = ?;

-- merge
insert into mail_words (mail_words) values ('optimize');

-- check
insert into mail_words (mail_words) values ('integrity-check');

-- matches
select count(*) from mail_words where mail_words match ?;

-- matching_rows
select rowid from mail_words where mail_words match ?;

-- best
select mail_no, mail.subject, bm25(mail_words, 4.0, 1.0) as score
    from mail_words join mail on mail.mail_no = mail_words.rowid
    where mail_words match ? order by score limit 12;

-- best_by_rank
select rowid, rank from mail_words where mail_words match ? order by rank limit 25;

-- extract
select snippet(mail_words, 1, '<', '>', '...', 9), highlight(mail_words, 0, '[', ']')
    from mail_words where mail_words match ? limit 15;

-- stemmed
select count(*) from stem where stem match ?;

-- substring
select address from piece where address like ? limit 40;

-- from_sender
select count(*) from mail where sender = ?;

-- subjects_with
select count(*), min(mail_no) from mail where subject like ?1 or content like ?1;

-- subjects_glob
select mail_no, subject from mail where subject glob ?;

-- domains
select lower(substr(sender, instr(sender, '@') + 1)) as domain, count(*), max(length(content))
    from mail group by domain order by count(*) desc, domain limit 30;

-- tidy_subjects
select sum(length(trim(replace(replace(subject, 'Re: ', ''), 'Fwd: ', '')))),
    count(nullif(ltrim(subject, 'RFe'), subject)) from mail;

-- lines
select printf('%-24s %6d  %s...', sender, mail_no, substr(content, 1, 30)),
    'To: ' || sender || char(10) || 'Subject: ' || subject from mail where mail_no % 7 = ?;

-- shouting
select sum(upper(subject) = subject), sum(unicode(subject)), min(hex(substr(content, -4))),
    max(quote(subject)), sum(sender like '%.org'), sum(content not like '% the %') from mail;

-- longest
select mail_no, length(subject) + octet_length(content) as size from mail order by size desc limit 9;

-- count
select count(*) from mail;
