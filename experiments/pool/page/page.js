const pool = JSON.parse(document.getElementById("pool").textContent);
const KEY = `rankproof-pool-${pool.fingerprint}`;
const OPEN = ".", SKIP = "s"; // one letter a pair keeps 6,600 judgements small enough to store at each key
const CHOICES = [["0", "Does not answer"], ["1", "Related, answers in part"], ["2", "Answers"], [SKIP, "Skip"]];
const part = id => document.getElementById(id);
const state = { at: 0, who: "", grades: pool.pairs.map(() => OPEN) };
let judged = 0;

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
    say("This browser keeps nothing for this page: save the labels before you close it.");
  }
}

function restore() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY));
    if (kept?.grades?.length === pool.pairs.length) {
      Object.assign(state, kept, { grades: [...kept.grades] });
    }
  } catch {
    say("What this browser kept could not be read: load the labels that you saved.");
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
  else say("This was the last passage: save the labels.");
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
  if (found < 0) say("Every passage is judged: save the labels.");
  else go(found);
}

function show() {
  const [row, place] = pool.pairs[state.at];
  const [query, text, earlier] = pool.queries[row];
  const [name, title, passage] = pool.documents[place];
  part("done").textContent = `${judged} of ${pool.pairs.length} judged`;
  part("bar").value = judged;
  part("number").textContent = `Question ${row + 1} of ${pool.queries.length} · ${query}`;
  part("earlier").replaceChildren(...earlier.map(([role, said]) => element("p", `${role}: ${said}`)));
  part("question").textContent = text;
  part("document").textContent = `Passage ${state.at + 1} · ${name}`;
  part("heading").textContent = title;
  part("text").textContent = passage.trim() ? passage : "This passage has no text.";
  part("text").lang = /[가-힣]/.test(passage) ? "ko" : "";
  for (const button of part("grades").children) {
    button.setAttribute("aria-pressed", button.dataset.grade === state.grades[state.at]);
  }
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
  if (!state.who.trim()) say("Saved without a name: write who you are, so that the labels say whose they are.");
}

async function load(file) {
  try {
    const page = JSON.parse(await file.text());
    if (page.pool !== pool.fingerprint) throw new Error("It belongs to another pool.");
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
    say(`${page.judgements.length} judgements read from ${file.name}.`);
  } catch (error) {
    say(`${file.name} was not loaded. ${error.message}`);
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

function start() {
  document.title = part("title").textContent = pool.title;
  part("bar").max = pool.pairs.length;
  part("grades").append(...CHOICES.map(([grade, said]) => {
    const button = element("button", "", { type: "button", onclick: () => judge(grade) });
    button.dataset.grade = grade;
    button.append(element("kbd", grade === SKIP ? "X" : grade), ` ${said}`);
    return button;
  }));
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
