// Reads the shards of a folder with what Node.js has: node reader.js FOLDER.
const fs = require("fs"), path = require("path"), zlib = require("zlib");

const folder = process.argv[2];
const rows = fs.readdirSync(folder).filter(name => name.endsWith(".jsonl.gz")).sort()
  .flatMap(name => zlib.gunzipSync(fs.readFileSync(path.join(folder, name))).toString("utf8").trimEnd().split("\n").map(JSON.parse));
const sum = of => rows.reduce((all, row) => all + of(row), 0);
console.log(JSON.stringify({
  rows: rows.length,
  words: sum(row => row.counts.words),
  lines: sum(row => row.languages[0].lines),
  last: new Date(Math.max(...rows.map(row => new Date(row.added)))).toISOString(),
  keys: Object.keys(rows[0].counts).join(),
  texts: rows.map(row => row.text).join("|"),
}));
