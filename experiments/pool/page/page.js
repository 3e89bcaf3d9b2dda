const pool = JSON.parse(document.getElementById("pool").textContent);
const KEY = `rankproof-pool-${pool.fingerprint}`;
const OPEN = ".", SKIP = "s"; // one letter a pair keeps 6,600 judgements small enough to store at each key
const CHOICES = ["0", "1", "2", SKIP];
const LANGUAGE = "rankproof-language";
const part = id => document.getElementById(id);
const state = { at: 0, who: "", grades: pool.pairs.map(() => OPEN) };
const groups = new Map(); // question -> its pairs
pool.pairs.forEach(([row], index) => groups.set(row, [...(groups.get(row) ?? []), index]));
let judged = 0, words = WORDS.en;

function element(tag, text, properties = {}) {
  return Object.assign(document.createElement(tag), { textContent: text }, properties);
}

function say(sentence) {
  part("message").textContent = sentence;
  part("message").hidden = !sentence;
}

function keep() {
  try {
    localStorage.setItem(KEY, JSON.stringify({ at: state.at, who: state.who, grades: state.grades.join("") }));
  } catch {
    say(words.notKept);
  }
}

function restore() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY));
    if (kept?.grades?.length === pool.pairs.length) {
      Object.assign(state, kept, { grades: [...kept.grades] });
    }
  } catch {
    say(words.notRead);
  }
  count();
}

function count() {
  judged = state.grades.filter(grade => grade !== OPEN).length;
}

function judge(grade) {
  if (state.grades[state.at] === OPEN) judged += 1;
  state.grades[state.at] = grade;
  if (state.at < pool.pairs.length - 1) state.at += 1;
  else say(words.last);
  keep();
  show();
}

function go(index) {
  state.at = Math.max(0, Math.min(index, pool.pairs.length - 1));
  keep();
  say("");
  show();
}

function nextOpen() {
  const after = state.grades.indexOf(OPEN, state.at + 1);
  const found = after >= 0 ? after : state.grades.indexOf(OPEN);
  if (found < 0) say(words.all);
  else go(found);
}

function show() {
  const [row, place] = pool.pairs[state.at];
  const [query, text, earlier] = pool.queries[row];
  const [name, title, passage] = pool.documents[place];
  const own = groups.get(row);
  part("done").textContent = words.done(judged, pool.pairs.length);
  part("bar").value = judged;
  part("number").textContent = words.question(row + 1, pool.queries.length, query);
  part("earlier").replaceChildren(...earlier.map(([role, said]) =>
    element("p", `${words.roles[role] ?? role}: ${said}`)));
  part("question").textContent = text;
  part("document").textContent = words.passage(own.indexOf(state.at) + 1, own.length, name);
  part("heading").textContent = title;
  part("text").textContent = passage.trim() ? passage : words.blank;
  part("text").lang = /[가-힣]/.test(passage) ? "ko" : "";
  for (const button of part("grades").children) {
    button.setAttribute("aria-pressed", button.dataset.grade === state.grades[state.at]);
  }
  scrollTo(0, 0);
  part("back").disabled = state.at === 0;
  part("next").disabled = state.at === pool.pairs.length - 1;
}

function save() {
  const judgements = pool.pairs.flatMap(([row, place], index) => {
    const grade = state.grades[index];
    if (grade === OPEN) return [];
    return [[pool.queries[row][0], pool.documents[place][0], grade === SKIP ? null : Number(grade)]];
  });
  const page = { pool: pool.fingerprint, labeller: state.who.trim(), saved_at: new Date().toISOString(), judgements };
  const file = new Blob([JSON.stringify(page)], { type: "application/json" });
  const name = state.who.trim().replace(/[^\p{L}\p{N}]+/gu, "-") || "labels";
  const link = element("a", "", { href: URL.createObjectURL(file), download: `${name}.json` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  if (!state.who.trim()) say(words.nameless);
}

async function load(file) {
  try {
    const page = JSON.parse(await file.text());
    if (page.pool !== pool.fingerprint) throw new Error(words.foreign);
    const places = new Map(pool.pairs.map(([row, place], index) =>
      [JSON.stringify([pool.queries[row][0], pool.documents[place][0]]), index]));
    for (const [query, name, grade] of page.judgements) {
      const index = places.get(JSON.stringify([query, name]));
      if (index !== undefined) state.grades[index] = grade === null ? SKIP : String(grade);
    }
    state.who = page.labeller || state.who;
    part("who").value = state.who;
    count();
    keep();
    show();
    say(words.read(page.judgements.length, file.name));
  } catch (error) {
    say(words.refused(file.name, error.message));
  }
}

const KEYS = { // by place on the keyboard, so that they work while typing Korean is switched on
  Digit0: () => judge("0"), Digit1: () => judge("1"), Digit2: () => judge("2"),
  Numpad0: () => judge("0"), Numpad1: () => judge("1"), Numpad2: () => judge("2"),
  KeyX: () => judge(SKIP), KeyS: save, KeyU: nextOpen,
  ArrowLeft: () => go(state.at - 1), ArrowRight: () => go(state.at + 1),
};

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.target.matches("input:not([type=file])")) {
    if (event.code === "Escape" || event.code === "Enter") event.target.blur();
    return;
  }
  const action = KEYS[event.code];
  if (!action) return;
  event.preventDefault();
  action();
}

function speak(language) {
  words = WORDS[language];
  document.documentElement.lang = language;
  document.title = part("title").textContent = words.title(pool.name);
  for (const one of document.querySelectorAll("[data-word]")) one.textContent = words[one.dataset.word];
  part("who").placeholder = words.name;
  part("language").textContent = words.other;
  part("grades").replaceChildren(...CHOICES.map((grade, place) => {
    const button = element("button", "", { type: "button", onclick: () => judge(grade) });
    button.dataset.grade = grade;
    button.append(element("kbd", grade === SKIP ? "X" : grade), ` ${words.grades[place]}`);
    return button;
  }));
}

function chosenLanguage() {
  try {
    return localStorage.getItem(LANGUAGE) ?? navigator.language;
  } catch {
    return navigator.language;
  }
}

function change() {
  const language = words === WORDS.ko ? "en" : "ko";
  speak(language);
  say("");
  show();
  try {
    localStorage.setItem(LANGUAGE, language);
  } catch {
    say(words.notKept);
  }
}

function start() {
  speak(chosenLanguage().startsWith("ko") ? "ko" : "en");
  part("bar").max = pool.pairs.length;
  part("language").onclick = change;
  part("back").onclick = () => go(state.at - 1);
  part("next").onclick = () => go(state.at + 1);
  part("open").onclick = nextOpen;
  part("save").onclick = save;
  part("load").onchange = event => { load(event.target.files[0]); event.target.value = ""; };
  part("who").oninput = event => { state.who = event.target.value; keep(); };
  document.addEventListener("keydown", press);
  restore();
  part("who").value = state.who;
  show();
}

start();
