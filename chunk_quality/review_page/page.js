const sample = JSON.parse(document.getElementById("sample").textContent);
const KEY = `rankproof-review-${sample.fingerprint}`;
const part = id => document.getElementById(id);
const KEYED = 9; // labels that have a digit
const meanings = new Map(sample.labels);

const state = { at: 0, own: [], reviews: new Map() };

function review(index = state.at) {
  return state.reviews.get(sample.chunks[index].id) ?? { labels: [], note: "" };
}

function change(edit) {
  state.reviews.set(sample.chunks[state.at].id, { ...review(), ...edit });
  keep();
}

function keep() {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...state, reviews: [...state.reviews] }));
  } catch {
    say("This browser keeps nothing for this page: save the CSV before you close it.");
  }
}

function restore() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY));
    if (kept) Object.assign(state, kept, { reviews: new Map(kept.reviews) });
  } catch {
    say("What this browser kept could not be read: load the CSV that you saved.");
  }
  state.at = Math.min(state.at, sample.chunks.length - 1);
}

function say(sentence) {
  part("message").textContent = sentence;
  part("message").hidden = !sentence;
}

function names() {
  return [...new Set([...meanings.keys(), ...state.own])];
}

function toggle(name) {
  const labels = review().labels;
  change({ labels: labels.includes(name) ? labels.filter(one => one !== name) : [...labels, name] });
  show();
}

function element(tag, text, properties = {}) {
  return Object.assign(document.createElement(tag), { textContent: text }, properties);
}

function labelButton(name, place) {
  const button = element("button", "", { type: "button", onclick: () => toggle(name) });
  button.dataset.label = name;
  button.setAttribute("aria-pressed", review().labels.includes(name));
  button.append(element("kbd", place < KEYED ? place + 1 : "·"), element("strong", name));
  if (meanings.get(name)) button.append(element("small", meanings.get(name)));
  return button;
}

function showChunk(chunk) {
  part("number").textContent = `Chunk ${state.at + 1}`;
  part("document").textContent = chunk.document === chunk.id ? chunk.id
    : `${chunk.id}, document ${chunk.document}`;
  part("place").textContent = chunk.place;
  part("heading").textContent = chunk.title;
  part("text").textContent = chunk.text.trim() ? chunk.text : "This chunk has no text.";
  part("text").classList.toggle("blank", !chunk.text.trim());
  part("text").lang = /[가-힣]/.test(chunk.text) ? "ko" : "";
  part("measures").replaceChildren(...chunk.measures.map(([name, value]) => {
    const pair = element("div", "");
    pair.append(element("dt", name), element("dd", value));
    return pair;
  }));
}

function showMap() {
  const squares = part("map").children;
  sample.chunks.forEach((_, index) => {
    const { labels } = review(index);
    const square = squares[index];
    square.classList.toggle("labelled", labels.length > 0);
    square.title = `Chunk ${index + 1}: ${labels.join(", ") || "no label"}`;
    square.setAttribute("aria-label", square.title);
    if (index === state.at) square.setAttribute("aria-current", "true");
    else square.removeAttribute("aria-current");
  });
}

function show() {
  const done = sample.chunks.filter((_, index) => review(index).labels.length).length;
  part("done").textContent = `${done} of ${sample.chunks.length} labelled`;
  part("bar").value = done;
  showChunk(sample.chunks[state.at]);
  const active = document.activeElement?.dataset.label;
  part("labels").replaceChildren(...names().map(labelButton));
  [...part("labels").children].find(one => one.dataset.label === active)?.focus();
  part("note").value = review().note;
  part("to").value = state.at + 1;
  part("back").disabled = state.at === 0;
  part("next").disabled = state.at === sample.chunks.length - 1;
  showMap();
}

function go(index) {
  state.at = Math.max(0, Math.min(index, sample.chunks.length - 1));
  keep();
  say("");
  show();
  scrollTo(0, 0);
}

function nextWithout() {
  const count = sample.chunks.length;
  const after = [...Array(count).keys()].map(step => (state.at + 1 + step) % count);
  const found = after.find(index => !review(index).labels.length);
  if (found === undefined) say("Every chunk has a label: save the CSV.");
  else go(found);
}

function addOwn(text) {
  for (const name of splitLabels(text)) {
    if (!names().includes(name)) state.own.push(name);
    if (!review().labels.includes(name)) toggle(name);
  }
  show();
}

function save() {
  const file = new Blob([writeCsv(state.reviews)], { type: "text/csv;charset=utf-8" });
  const link = element("a", "", { href: URL.createObjectURL(file), download: sample.file });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

async function load(file) {
  try {
    const rows = readCsv(await file.text());
    const known = new Set(sample.chunks.map(chunk => chunk.id));
    const ours = rows.filter(row => known.has(row.id));
    for (const { id, labels, note } of ours) {
      state.reviews.set(id, { labels, note });
      state.own.push(...labels.filter(name => !names().includes(name)));
    }
    keep();
    show();
    const strange = rows.length - ours.length;
    say(`${ours.length} chunks read from ${file.name}`
      + (strange ? `; ${strange} are not in this sample and were left out.` : "."));
  } catch (error) {
    say(`${file.name} was not loaded. ${error.message}`);
  }
}

const KEYS = { // by place on the keyboard, so that they work while typing Korean is switched on
  ArrowLeft: () => go(state.at - 1), ArrowRight: () => go(state.at + 1),
  KeyU: nextWithout, KeyS: save,
  KeyA: () => part("word").focus(), KeyN: () => part("note").focus(), KeyG: () => part("to").select(),
};

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.target.matches("input:not([type=file]), textarea")) {
    if (event.code === "Escape") event.target.blur();
    return;
  }
  const digit = /^(?:Digit|Numpad)([1-9])$/.exec(event.code);
  const name = digit && names()[digit[1] - 1];
  const action = name ? () => toggle(name) : KEYS[event.code];
  if (!action) return;
  event.preventDefault();
  action();
}

function start() {
  document.title = part("title").textContent = sample.title;
  part("bar").max = sample.chunks.length;
  part("of").textContent = `of ${sample.chunks.length}`;
  part("to").max = sample.chunks.length;
  part("map").append(...sample.chunks.map((_, index) =>
    element("button", "", { type: "button", tabIndex: -1, onclick: () => go(index) })));
  part("save").onclick = save;
  part("load").onchange = event => { load(event.target.files[0]); event.target.value = ""; };
  part("back").onclick = () => go(state.at - 1);
  part("next").onclick = () => go(state.at + 1);
  part("note").oninput = event => change({ note: event.target.value });
  part("own").onsubmit = event => {
    event.preventDefault();
    addOwn(part("word").value);
    part("word").value = "";
  };
  part("jump").onsubmit = event => {
    event.preventDefault();
    go(Number(part("to").value) - 1);
    part("to").blur();
  };
  document.addEventListener("keydown", press);
  restore();
  show();
}

start();
