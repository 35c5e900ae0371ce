// Reads files with DuckDB and prints what it makes of them:
// node duckdb.js MODULES SQL. One JSON array of rows.
const { createRequire } = require("module");
const [modules, sql] = process.argv.slice(2);
const { DuckDBInstance } = createRequire(modules + "/")("@duckdb/node-api");

(async () => {
  const db = await DuckDBInstance.create(":memory:");
  const rows = await (await db.connect()).runAndReadAll(sql);
  console.log(JSON.stringify(rows.getRowObjectsJson()));
})();
