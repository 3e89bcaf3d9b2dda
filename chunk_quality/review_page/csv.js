"use strict";

const COLUMNS = ["chunk_id", "labels", "note"];

/** The rows of a CSV text (RFC 4180): quoted cells may hold commas, quotes and line breaks.
 *  Spreadsheets part cells by a semicolon or a tab in some languages: the first line tells. */
function parseCsv(text) {
  const first = text.trimStart().split(/[\r\n]/, 1)[0];
  const delimiter = [",", ";", "\t"].reduce((best, one) =>
    first.split(one).length > first.split(best).length ? one : best);
  const rows = [[]];
  let cell = "", quoted = false;
  const close = () => { rows.at(-1).push(cell); cell = ""; };
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (quoted) {
      if (letter !== '"') cell += letter;
      else if (text[at + 1] === '"') { cell += '"'; at++; }
      else quoted = false;
    } else if (letter === '"') quoted = true;
    else if (letter === delimiter) close();
    else if (letter === "\n" || letter === "\r") {
      if (letter === "\r" && text[at + 1] === "\n") at++;
      close();
      rows.push([]);
    } else cell += letter;
  }
  close();
  return rows.filter(row => row.some(value => value !== ""));
}

/** One CSV line; a byte order mark before the first tells Excel that this is UTF-8. */
function csvLine(cells) {
  return cells.map(cell => /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
    .join(",") + "\r\n";
}

/** The CSV of a review: a Map of chunk id -> {labels, note}, chunks without either left out. */
function writeCsv(reviews) {
  const rows = [...reviews].filter(([, one]) => one.labels.length || one.note.trim());
  return "\ufeff" + csvLine(COLUMNS)
    + rows.map(([id, one]) => csvLine([id, one.labels.join(";"), one.note])).join("");
}

/** What `writeCsv` wrote, also after a spreadsheet saved it. Throws where a column is missing. */
function readCsv(text) {
  const [header = [], ...rows] = parseCsv(text.replace(/^\ufeff/, ""));
  const places = COLUMNS.map(name => header.findIndex(cell => cell.trim() === name));
  const missing = COLUMNS.filter((name, place) => places[place] < 0 && name !== "note");
  if (missing.length) throw new Error(`The file has no column ${missing.join(" and no column ")}.`);
  return rows.map(row => {
    const [id, labels, note] = places.map(place => row[place] ?? "");
    return { id, labels: splitLabels(labels), note };
  });
}

function splitLabels(text) {
  return [...new Set(text.split(";").map(word => word.trim()).filter(Boolean))];
}
