// No SQL here may be near what the engine's profile is made with (tools/train): a test compares
// them.
#include "workloads/engine.hpp"

namespace skiff_bench {

const std::vector<engine_job>& engine_jobs() {
    static const std::vector<engine_job> jobs{
        {"insert 1M rows in one statement",
         {"CREATE TABLE a(id INTEGER PRIMARY KEY, g INT, v REAL, s TEXT)"},
         {"INSERT INTO a WITH RECURSIVE c(x) AS "
          "(SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<1000000) "
          "SELECT x, x*7919%1000, x*0.5, 'text '||(x*2654435761%1000000) FROM c"}},
        {"index 1M texts", {}, {"CREATE INDEX ai ON a(s)"}},
        {"sort 1M texts", {}, {"SELECT s FROM a ORDER BY s DESC, v"}},
        {"average 1M rows in 1000 groups", {}, {"SELECT g, avg(v) FROM a GROUP BY g"}},
        {"join 300k rows to a table of 1M on its key",
         {"CREATE TABLE b(k INT)",
          "INSERT INTO b SELECT id*179424673%1000000+1 FROM a WHERE id<=300000"},
         {"SELECT sum(a.v) FROM b JOIN a ON a.id=b.k"}},
        {"recursive CTE of 2M steps",
         {},
         {"WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<2000000) "
          "SELECT sum(x) FROM c"}},
        {"LIKE and string functions on 1M texts",
         {},
         {"SELECT count(*), sum(length(s)), sum(s LIKE '%99%'), max(upper(s)), sum(instr(s,'5')) "
          "FROM a"}},
        {"build and read 300k JSON objects",
         {},
         {"SELECT sum(json_extract(json_object('id',id,'g',g,'s',s),'$.g')) FROM a "
          "WHERE id<=300000"}},
        {"sqrt, sin, log and pow of 1M numbers",
         {},
         {"SELECT sum(sqrt(v)+sin(v)+ln(v)+pow(v,0.3)) FROM a"}},
        {"4 FTS5 searches in 200k documents",
         {"CREATE VIRTUAL TABLE d USING fts5(body)",
          "INSERT INTO d(rowid, body) SELECT id, 'alpha'||(id%211)||' beta'||(id*31%1009)||' "
          "gamma'||(id*57%2003)||' delta'||(id%17)||' omega'||(id*97%4999)||' end' FROM a "
          "WHERE id<=200000"},
         {"SELECT count(*) FROM d WHERE d MATCH 'alpha7 AND delta3'",
          "SELECT rowid FROM d WHERE d MATCH 'delta5' ORDER BY rank LIMIT 10",
          "SELECT count(*) FROM d WHERE d MATCH 'beta11 OR gamma13 OR delta2'",
          "SELECT count(*) FROM d WHERE d MATCH 'omega12*'"}},
    };
    return jobs;
}

}  // namespace skiff_bench
