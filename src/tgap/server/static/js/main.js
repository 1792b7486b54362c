// The page around the explorer: what is served, the question's bar, notices, colours, the address.

import { alive, get, servedModels, setUp, useModel } from "./api.js";
import { AskBar } from "./askbar.js";
import { BatchView } from "./batch.js";
import { askForToken, showCard } from "./dialogs.js";
import { h, icon } from "./dom.js";
import { EntityView } from "./entity.js";
import { Explorer } from "./explorer.js";
import { failureWords, mayHelpToTryAgain, waitingWords } from "./failures.js";
import { whole } from "./format.js";
import { Kept, keyOf } from "./kept.js";
import { showKept } from "./keptdialog.js";
import {
  comparedIn,
  entityAddress,
  entityOf,
  fromAddress,
  fromApi,
  homeAddress,
  isBatch,
  modelOf,
  toAddress,
  words,
} from "./question.js";
import { emptyState, failedState, notice } from "./states.js";
import { toast } from "./toast.js";

const POINTS = 20_000; // instants of the timeline with a text of their own

const results = document.getElementById("results");
const noticeBox = document.getElementById("notice");
const announcer = document.getElementById("announcer");
const starters = document.getElementById("starters");
const state = { card: null, timeline: null, model: "", explains: true, walking: [], begun: 0 };
const kept = new Kept(storage());

const bar = new AskBar(document.getElementById("ask-form"), {
  ask: (question) => {
    if (state.card) return explorer.ask(question);
    history.pushState(null, "", toAddress(question, modelOf(location.search)));
    return follow();
  },
  missing: (text) => noticeBox.replaceChildren(notice(text)),
});
const shared = {
  results,
  explains: () => state.explains,
  model: () => state.model,
  walking: () => state.walking,
  changeModel,
  timeline,
  fail: showFailure,
  tell: (text) => {
    announce(text);
    toast(text);
  },
};
const explorer = new Explorer({ ...shared, kept, asked, announce, entity: (name) => openEntity(name) });
const entityView = new EntityView({
  ...shared,
  entityAddress: (shown) => history.replaceState(null, "", entityAddress(shown, state.model)),
  ask: (question) => explorer.ask(question),
  fill: (question) => {
    bar.question = { relation: "", subject: "", object: "", ...question };
    bar.inputs.relation.focus();
  },
});
const batchView = new BatchView(shared);

/** The browser's own store; null where it is forbidden. */
function storage() {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}

function announce(text) {
  announcer.textContent = text;
}

/** A question is being asked: the bar, the title and the address say so. */
function asked(question, push, compared = null) {
  noticeBox.replaceChildren();
  bar.question = question;
  document.title = `${words(question)} · tgap`;
  if (push) history.pushState(null, "", toAddress(question, state.model, compared));
  foldExamples(true);
}

const askAgain = () => {
  if (!state.card) return begin(); // not even what is served is known
  const question = explorer.question ?? bar.question;
  return explorer.ask(question, { push: false });
};

function showFailure(error) {
  const button = (text, onclick) => h("button", { type: "button", class: "button", onclick }, text);
  if (error.code === "unknown_name") {
    const { field, suggestions } = error.details;
    bar.complain(field);
    const chip = (name) =>
      h(
        "button",
        { type: "button", class: "chip", onclick: () => explorer.ask({ ...explorer.question, [field]: name }) },
        name,
      );
    const offers = suggestions.length ? [h("span", {}, "Did you mean"), ...suggestions.map(chip)] : [];
    noticeBox.replaceChildren(notice(failureWords(error), ...offers));
  } else if (error.code === "unauthorized") {
    noticeBox.replaceChildren(notice(failureWords(error), button("Enter the token", begin)));
  } else {
    noticeBox.replaceChildren(
      notice(failureWords(error), mayHelpToTryAgain(error.code) && button("Try again", askAgain)),
    );
    if (error.code === "offline") waitForServer();
  }
  noticeBox.scrollIntoView({ block: "nearest" });
}

/** Say that an answer takes longer than usual, ``failure`` is why; null once it has come. */
function showWaiting(failure) {
  const shown = noticeBox.querySelector("[data-waiting]");
  if (!failure) shown?.remove();
  else if (!shown) {
    const waiting = notice(waitingWords(failure));
    waiting.dataset.waiting = "";
    noticeBox.replaceChildren(waiting);
  }
}

/** Take the notice away as soon as the server is back. */
function waitForServer() {
  setTimeout(async () => {
    if (!noticeBox.hasChildNodes()) return;
    if (!(await alive())) {
      waitForServer();
      return;
    }
    const again = h("button", { type: "button", class: "button", onclick: askAgain }, "Ask again");
    noticeBox.replaceChildren(notice("The server is back.", again));
  }, 2500);
}

async function timeline() {
  state.timeline ??= await get("timeline", { points: POINTS });
  bar.timeline = state.timeline;
  return state.timeline;
}

async function random() {
  try {
    const found = await get("questions/random");
    const question = fromApi(found.question);
    await explorer.ask(question, { truth: { for: words(question), answers: found.answers, revealed: false } });
  } catch (error) {
    showFailure(error);
  }
}

function showStarters(questions) {
  const starter = (question) => {
    const part = (name) => (name ? name : h("span", { class: "hole" }, "?"));
    return h(
      "button",
      { type: "button", class: "chip starter", onclick: () => explorer.ask(fromApi(question)) },
      part(question.subject),
      ` · ${question.relation} · `,
      part(question.object),
      " ",
      h("span", { class: "when" }, question.time),
    );
  };
  starters.replaceChildren(
    h(
      "button",
      { type: "button", class: "chip random", id: "random", onclick: random },
      icon("dice"),
      "Random test question",
    ),
    h(
      "button",
      { type: "button", class: "chip", id: "examples-button", onclick: () => foldExamples(false) },
      "Examples",
    ),
    h("span", { class: "hint" }, "or try"),
    h("span", { class: "examples" }, questions.map(starter)),
  );
}

/** Examples make room once something is asked. */
function foldExamples(folded) {
  starters.classList.toggle("folded", folded);
  if (!folded && document.activeElement?.id === "examples-button") starters.querySelector(".starter")?.focus();
}

function showTheme() {
  const button = document.getElementById("theme-button");
  const names = { auto: "as the system", light: "light", dark: "dark" };
  const draw = () => {
    const choice = window.tgapTheme.chosen();
    button.replaceChildren(icon(choice));
    button.setAttribute("aria-label", `Colours: ${names[choice]}`);
    button.title = `Colours: ${names[choice]}`;
  };
  button.addEventListener("click", () => {
    window.tgapTheme.next();
    draw();
  });
  draw();
}

/** Once: what listens for the whole life of the page. */
function listen() {
  showTheme();
  setUp(askForToken, showWaiting);
  addEventListener("popstate", follow);
  document.getElementById("about-button").addEventListener("click", () => state.card && showCard(state.card));
  const select = document.getElementById("model-select");
  select.addEventListener("change", () => changeModel(select.value));
  document.getElementById("kept-button").addEventListener("click", openKept);
  document.getElementById("batch-link").addEventListener("click", (event) => {
    event.preventDefault();
    history.pushState(null, "", `?${new URLSearchParams({ ...(state.model ? { m: state.model } : {}), batch: "" })}`);
    route();
  });
}

/** Show what the address is about, of the model it names: what is not known yet of that one is learned first. */
function follow() {
  return state.card && modelOf(location.search) === state.model ? route() : begin();
}

/** Show what the address is about. */
async function route() {
  const { search } = location;
  const question = fromAddress(search);
  const entity = entityOf(search);
  if (question) await explorer.ask(question, { push: false, compared: comparedIn(search) });
  else if (entity) showView(`${entity.entity} · tgap`, () => entityView.show(entity));
  else if (isBatch(search)) showView("Many questions · tgap", () => batchView.show());
  else home();
}

/** Another view than the explorer's. */
function showView(title, show) {
  explorer.leave();
  noticeBox.replaceChildren();
  foldExamples(true);
  document.title = title;
  return show();
}

function openEntity(name) {
  const entity = { entity: name, time: explorer.question?.time ?? "", partner: "", relation: "" };
  history.pushState(null, "", entityAddress(entity, state.model));
  route();
}

function openKept() {
  const shown = explorer.question && explorer.selected;
  showKept(kept, {
    open: ({ question, model }) => {
      history.pushState(null, "", toAddress(question, model));
      follow();
    },
    compare: shown ? ({ question }) => explorer.compare(question) : null,
    shown: shown ? keyOf(explorer.entry()) : null,
  });
}

/** The model that the address names, else the first; a list to choose from where there are several. */
function chooseModel(models) {
  const wanted = modelOf(location.search);
  const chosen = models.find(({ name }) => name === wanted) ?? models[0];
  state.model = chosen === models[0] ? "" : chosen.name;
  useModel(state.model);
  state.explains = chosen.explains;
  state.card = null; // that of the model before
  state.walking = models
    .filter(({ explains, dataset }) => explains && dataset === chosen.dataset)
    .map(({ name }) => name);
  const select = document.getElementById("model-select");
  select.hidden = models.length < 2;
  select.replaceChildren(
    ...models.map(({ name, scorer, dataset }) =>
      h("option", { value: name, selected: name === chosen.name }, `${name} (${scorer} on ${dataset})`),
    ),
  );
}

/** Ask another model, the same question if there is one. */
function changeModel(name) {
  const question = explorer.question;
  history.pushState(null, "", question ? toAddress(question, name) : homeAddress(name));
  begin();
}

/** Learn what is served, then show what the address asks for. Again where the server could not be asked before. */
async function begin() {
  state.begun += 1;
  const mine = state.begun;
  const overtaken = () => mine !== state.begun; // somebody went back and forth faster than the server answers
  explorer.leave(); // nothing of the model before is asked of the next one
  noticeBox.replaceChildren();
  const question = fromAddress(location.search);
  if (question) bar.question = question;
  if (question) explorer.wait();
  else results.replaceChildren(emptyState(null));
  const aboutButton = document.getElementById("about-button");
  try {
    const models = await servedModels();
    if (overtaken()) return;
    chooseModel(models);
    const [card, examples] = await Promise.all([get("model"), get("questions/examples")]);
    if (overtaken()) return;
    state.card = card;
    state.timeline = null;
    const { dataset } = card;
    const several = !document.getElementById("model-select").hidden; // then the list says already which one it is
    aboutButton.textContent = several ? "About" : `${dataset.name} · ${card.scorer}`;
    aboutButton.title = "About this model";
    document.getElementById("foot-model").textContent =
      `${whole(dataset.entities)} entities, ${whole(dataset.relations)} relations, ${dataset.timeline.first} to ${dataset.timeline.last}`;
    showStarters(examples.questions);
    await route();
  } catch (error) {
    if (overtaken()) return;
    aboutButton.textContent = "no connection";
    explorer.leave();
    results.replaceChildren(question ? failedState("The question is kept above.") : emptyState(null));
    showFailure(error);
    return;
  }
  timeline().catch(showFailure);
}

function home() {
  explorer.leave();
  document.title = "tgap explorer";
  noticeBox.replaceChildren();
  foldExamples(false);
  results.replaceChildren(emptyState(state.card));
}

listen();
begin();
